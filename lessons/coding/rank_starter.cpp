// Exchanges messages with the program that starts an exercise's ranks.
#include "lessons/coding/rank_starter.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>

#include "engine/core/base/fd_pair.h"
#include "engine/core/base/utf8.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::size_t kMostSockets = 64;
constexpr std::size_t kMostText = 8192;
constexpr std::chrono::seconds kAnswer{10};

}  // namespace

std::string RankEnd::words() const {
  std::string words = fmt::format("rank {} ", rank);
  if (signal != 0) words += fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
  else if (exit_code != 0) words += fmt::format("ended with code {}", exit_code);
  else return words + "ended its process in the middle of the exercise";
  return said.empty() ? words : fmt::format("{}: {}", words, said);
}

std::string OtherProcess::words() const {
  if (rank < 0)
    return "the ranks returned, and something that they started goes on in new processes, again "
           "and again: end it before returning";
  return fmt::format(
      "rank {} returned, and a process that it started goes on ({}): wait for it before returning",
      rank, name);
}

RankStarter::RankStarter() {
  FdPair pair = socket_pair("the ranks' box", SOCK_SEQPACKET);
  ours_ = std::move(pair.ours);
  theirs_ = std::move(pair.theirs);
}

bool RankStarter::up(Deadline limit) {
  while (!up_ && hear(limit)) {
  }
  return up_ && !gone_;
}

bool RankStarter::start(const std::vector<int>& sockets) {
  ends_.clear();
  running_ = sockets.size();
  return send(R"({"do": "start"})", sockets);
}

void RankStarter::end_all() { send(R"({"do": "end"})", {}); }

bool RankStarter::all_ended(Deadline limit) {
  while (ends_.size() < running_ && hear(limit)) {
  }
  return ends_.size() >= running_;
}

std::optional<std::vector<OtherProcess>> RankStarter::others(Deadline limit) {
  constexpr std::chrono::milliseconds kPause{20};
  while (true) {
    others_.reset();
    if (!send(fmt::format(R"({{"do": "look", "number": {}}})", ++looks_), {})) return std::nullopt;
    const auto answer = Deadline::in(kAnswer);
    while (!others_ && hear(answer)) {
    }
    if (!others_ || others_->empty() || limit.passed()) return others_;
    std::this_thread::sleep_for(kPause);
  }
}

// One message. False: none in time, or none any more.
bool RankStarter::hear(Deadline limit) {
  pollfd wait{ours_.get(), POLLIN, 0};
  int ready = 0;
  do ready = ::poll(&wait, 1, limit.poll_ms());
  while (ready < 0 && errno == EINTR);
  if (ready <= 0) return false;
  char text[kMostText];
  const auto got = ::recv(ours_.get(), text, sizeof(text), MSG_DONTWAIT);
  if (got <= 0) {
    gone_ = true;
    return false;
  }
  const json said = json::parse(std::string_view(text, static_cast<std::size_t>(got)), nullptr,
                                /*allow_exceptions=*/false);
  if (!said.is_object()) return true;
  if (said.value("up", false)) up_ = true;
  if (const auto others = said.find("others");
      others != said.end() && said.value("look", 0) == looks_) {
    others_.emplace();
    for (const json& one : *others)
      if (one.is_array() && one.size() == 2 && one[0].is_number_integer() && one[1].is_string())
        others_->push_back({one[0].get<int>(), printable(one[1].get<std::string>())});
  }
  if (said.contains("ended"))
    ends_.push_back({said.value("ended", -1), said.value("code", -1), said.value("signal", 0),
                     said.value("said", "")});
  return true;
}

bool RankStarter::send(const std::string& order, const std::vector<int>& sockets) {
  if (gone_ || sockets.size() > kMostSockets) return false;
  iovec part{const_cast<char*>(order.data()), order.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostSockets * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!sockets.empty()) {
    const std::size_t bytes = sockets.size() * sizeof(int);
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(head), sockets.data(), bytes);
  }
  ssize_t sent = 0;
  do sent = ::sendmsg(ours_.get(), &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) gone_ = true;
  return sent >= 0;
}

}  // namespace rankscope
