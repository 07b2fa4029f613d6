// Opens Unix sockets and passes messages with descriptors through them.
#include "engine/run/conductor/local_socket.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostText = 64 * 1024, kMostDescriptors = 64;

sockaddr_un address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof(address.sun_path))
    throw UserError(
        fmt::format("the path {} is too long for a socket: set TMPDIR to a shorter one", text));
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

// SOCK_SEQPACKET keeps message boundaries, and reports a closed end.
Fd new_socket() {
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket) throw UserError(fmt::format("cannot make a socket: {}", std::strerror(errno)));
  return socket;
}

bool wait_for(int fd, short events, Deadline deadline) {
  pollfd item{fd, events, 0};
  int ready = 0;
  do ready = ::poll(&item, 1, deadline.poll_ms());
  while (ready < 0 && errno == EINTR && !deadline.passed());
  return ready > 0;
}

}  // namespace

bool wait_readable(int fd, Deadline deadline) { return wait_for(fd, POLLIN, deadline); }

Fd listen_at(const std::filesystem::path& path) {
  const sockaddr_un address = address_of(path);
  Fd socket = new_socket();
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0)
    throw UserError(fmt::format("cannot listen at {}: {}", path.string(), std::strerror(errno)));
  return socket;
}

Fd accept_from(const Fd& listener) {
  if (!wait_readable(listener.get(), Deadline::now())) return {};
  return Fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

Fd connect_to(const std::filesystem::path& path) {
  const sockaddr_un address = address_of(path);
  Fd socket = new_socket();
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    throw UserError(
        fmt::format("cannot reach rankscope at {}: {}", path.string(), std::strerror(errno)));
  return socket;
}

bool send_message(const Fd& socket, const std::string& text, const std::vector<int>& descriptors,
                  Deadline deadline) {
  if (descriptors.size() > kMostDescriptors) return false;
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
    std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof(int) * descriptors.size());
  }
  ssize_t sent = 0;
  do sent = ::sendmsg(socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 &&
         (errno == EINTR || (errno == EAGAIN && wait_for(socket.get(), POLLOUT, deadline))));
  return sent == static_cast<ssize_t>(text.size());
}

std::optional<LocalMessage> receive_message(const Fd& socket, Deadline deadline) {
  if (!wait_readable(socket.get(), deadline)) return std::nullopt;
  LocalMessage out;
  out.text.resize(kMostText);
  iovec part{out.text.data(), out.text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do got = ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  out.text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
    if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t used = CMSG_LEN(0); used + sizeof(int) <= at->cmsg_len; used += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(at) + (used - CMSG_LEN(0)), sizeof(int));
      out.descriptors.emplace_back(fd);
    }
  }
  return out;
}

pid_t peer_of(const Fd& socket) {
  ucred who{};
  socklen_t size = sizeof(who);
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return -1;
  return who.pid;
}

}  // namespace rankscope
