// Creates plane sockets, sends and receives text on them, and polls them.
#include "engine/run/conductor/sockets.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "transports/zeromq/zmq_util.h"

namespace rankscope {

zmq::socket_t make_plane_socket(zmq::context_t& zmq, zmq::socket_type type,
                                const Rendezvous& rendezvous, Side side) {
  zmq::socket_t socket = make_zmq_socket(zmq, type);
  if (rendezvous.control.find('[') != std::string::npos) socket.set(zmq::sockopt::ipv6, true);
  if (rendezvous.keys) {
    if (side == Side::server) set_curve_server(socket, *rendezvous.keys);
    else set_curve_client(socket, *rendezvous.keys);
  }
  return socket;
}

void send_text(zmq::socket_t& socket, std::string_view text) {
  socket.send(zmq::buffer(text), zmq::send_flags::dontwait);
}

std::vector<zmq::message_t> receive_waiting(zmq::socket_t& socket) {
  std::vector<zmq::message_t> parts;
  if (!receive_parts(socket, parts, zmq::recv_flags::dontwait)) parts.clear();
  return parts;
}

std::optional<std::string> receive_text(zmq::socket_t& socket) {
  const auto parts = receive_waiting(socket);
  if (parts.empty()) return std::nullopt;
  return parts.back().to_string();
}

std::vector<bool> poll_sockets(const std::vector<PollItem>& items, Deadline deadline) {
  std::vector<zmq::pollitem_t> list;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].socket == nullptr && items[i].fd < 0) continue;
    void* socket = items[i].socket == nullptr ? nullptr : items[i].socket->handle();
    list.push_back({socket, items[i].fd, ZMQ_POLLIN, 0});
    which.push_back(i);
  }
  std::vector<bool> ready(items.size(), false);
  int count = 0;
  do count = ::zmq_poll(list.data(), static_cast<int>(list.size()), deadline.poll_ms());
  while (count < 0 && errno == EINTR);
  for (std::size_t i = 0; i < list.size(); ++i)
    ready[which[i]] = (list[i].revents & (ZMQ_POLLIN | ZMQ_POLLERR)) != 0;
  return ready;
}

std::string address_towards(const std::string& endpoint) {
  if (!endpoint.starts_with("tcp://")) return "127.0.0.1";
  const auto colon = endpoint.rfind(':');
  std::string host = endpoint.substr(6, colon - 6);
  const std::string port = endpoint.substr(colon + 1);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0)
    throw UserError(fmt::format("the host of {} is unknown", endpoint));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> guard(found, &::freeaddrinfo);
  // Connecting a datagram socket sends nothing, but picks the route.
  const Fd probe(::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage local{};
  socklen_t size = sizeof(local);
  char text[NI_MAXHOST] = {};
  if (!probe || ::connect(probe.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&local), &size) != 0 ||
      ::getnameinfo(reinterpret_cast<sockaddr*>(&local), size, text, sizeof(text), nullptr, 0,
                    NI_NUMERICHOST) != 0)
    throw UserError(fmt::format("there is no route to {}", endpoint));
  return local.ss_family == AF_INET6 ? fmt::format("[{}]", text) : text;
}

namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "rankscope.run-";
constexpr std::size_t kLongestBase = 60;  // socket paths are limited to 107 characters

fs::path base_directory() {
  for (const char* variable : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value == '/' && std::strlen(value) <= kLongestBase &&
        ::access(value, W_OK | X_OK) == 0)
      return value;
  }
  return "/tmp";
}

}  // namespace

std::string random_hex() {
  std::random_device device;
  const auto high = std::uint64_t{device()};
  return fmt::format("{:016x}", (high << 32) | device());
}

RunDirectory::RunDirectory() : folder_(base_directory(), kPrefix) {}

void remove_run_directory_of(const std::string& endpoint) noexcept {
  constexpr std::string_view kIpc = "ipc://";
  if (!endpoint.starts_with(kIpc)) return;
  try {
    const fs::path directory = fs::path(endpoint.substr(kIpc.size())).parent_path();
    std::error_code ignored;
    if (directory.filename().string().starts_with(kPrefix) && is_own_folder(directory))
      fs::remove_all(directory, ignored);
  } catch (const std::exception&) {  // out of memory: the next run removes it
  }
}

}  // namespace rankscope
