// Reads and writes the length-prefixed messages between a boxed rank and its agent, within bounds.
#include "engine/capi/wire.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/quantity.h"

namespace rankscope::capi {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLook{50};
constexpr milliseconds kStalled{20'000};      // within a message
constexpr std::uint32_t kMagic = 0x31475352;  // "RSG1"

struct Prefix {
  std::uint32_t magic = kMagic;
  std::uint32_t head = 0;
  std::uint64_t body = 0;
};

bool wait_for(int socket, short what, Deadline deadline) {
  pollfd item{socket, what, 0};
  int ready = 0;
  do ready = ::poll(&item, 1, deadline.poll_ms());
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

void Wire::write_all(std::span<const std::byte> data) {
  while (!data.empty()) {
    const auto sent = ::send(socket_, data.data(), data.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      data = data.subspan(static_cast<std::size_t>(sent));
    } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (!wait_for(socket_, POLLOUT, Deadline::in(kStalled)))
        throw UserError("the other side of a boxed rank does not read");
    } else if (sent < 0 && errno != EINTR) {
      throw UserError("the other side of a boxed rank is gone");
    }
  }
}

bool Wire::read_all(std::span<std::byte> data, bool may_end, Deadline limit) {
  const std::size_t whole = data.size();
  while (!data.empty()) {
    const auto got = ::recv(socket_, data.data(), data.size(), MSG_DONTWAIT);
    if (got > 0) {
      data = data.subspan(static_cast<std::size_t>(got));
    } else if (got == 0) {
      if (may_end && data.size() == whole) return false;
      throw UserError("a message of a boxed rank breaks off");
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for(socket_, POLLIN, limit))
        throw UserError("a message of a boxed rank is not finished");
    } else if (errno != EINTR) {
      if (may_end && data.size() == whole) return false;
      throw UserError("the other side of a boxed rank is gone");
    }
  }
  return true;
}

void Wire::send(const nlohmann::json& head, std::span<const std::byte> body) {
  const std::string text = dump_json(head);
  if (text.size() > kMostHead) throw UserError("a message of a boxed rank with too long a head");
  if (body.size() > kMostBody)
    throw UserError(fmt::format("a message of {} bytes: boxed ranks send at most {} MiB",
                                body.size(), kMostBody >> 20));
  const Prefix prefix{kMagic, static_cast<std::uint32_t>(text.size()), body.size()};
  std::vector<std::byte> front(sizeof(prefix) + text.size());
  std::memcpy(front.data(), &prefix, sizeof(prefix));
  std::memcpy(front.data() + sizeof(prefix), text.data(), text.size());
  write_all(front);
  write_all(body);
}

bool Wire::ready(Deadline deadline) const { return wait_for(socket_, POLLIN, deadline); }

std::optional<WireMessage> Wire::receive(Deadline deadline, const std::function<bool()>& give_up,
                                         std::uint64_t most_body) {
  while (!wait_for(socket_, POLLIN, give_up ? earlier(deadline, Deadline::in(kLook)) : deadline)) {
    if (deadline.passed() || (give_up && give_up())) return std::nullopt;
  }
  // The limit is for the whole message, because an occasional byte is no progress.
  const auto limit = Deadline::in(kStalled);
  Prefix prefix;
  if (!read_all({reinterpret_cast<std::byte*>(&prefix), sizeof(prefix)}, true, limit))
    throw UserError("the other side of a boxed rank has closed");
  if (prefix.magic != kMagic || prefix.head > kMostHead || prefix.body > kMostBody)
    throw UserError("the other side of a boxed rank does not keep to the protocol");
  if (prefix.body > most_body)
    throw UserError(fmt::format("a message of {}, more than the {} that one may have",
                                format_bytes(prefix.body), format_bytes(most_body)));
  std::string text(prefix.head, '\0');
  read_all({reinterpret_cast<std::byte*>(text.data()), text.size()}, false, limit);
  WireMessage message;
  message.head = parse_json_or_none(text);
  if (!message.head.is_object()) throw UserError("a message of a boxed rank is no JSON object");
  // Memory is taken as the bytes come, not for a length alone.
  constexpr std::uint64_t kPiece = 1 << 20;
  while (message.body.size() < prefix.body) {
    const auto at = message.body.size();
    message.body.resize(at + std::min(kPiece, prefix.body - at));
    read_all(std::span(message.body).subspan(at), false, limit);
  }
  return message;
}

}  // namespace rankscope::capi
