// Creates, binds, tunes and secures ZeroMQ sockets.
#include "transports/zeromq/zmq_util.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"

namespace rankscope {
namespace {
constexpr int kBacklog = 1024;  // a whole world may connect to one rank at once
constexpr int kReconnectMs = 10, kReconnectMaxMs = 500;

Fd unix_socket() {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  if (fd.get() < 0) throw std::system_error(errno, std::generic_category(), "socket");
  ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
  ::fcntl(fd.get(), F_SETFL, O_NONBLOCK);
  return fd;
}

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw UserError(
        fmt::format("the socket path {} has {} bytes, and the system allows {}: choose "
                    "a directory with a shorter name",
                    path, path.size(), sizeof address.sun_path - 1));
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

/// Returns whether the file is a socket that nobody listens on any more.
bool is_stale(const sockaddr_un& address) {
  struct stat info {};
  if (::lstat(address.sun_path, &info) != 0 || !S_ISSOCK(info.st_mode)) return false;
  const Fd probe = unix_socket();
  return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

// Our own bind fails when the file exists, in one step; ZeroMQ's would unlink it first.
Fd listen_on(const std::string& path) {
  const sockaddr_un address = unix_address(path);
  Fd fd = unix_socket();
  const auto bind_it = [&] {
    return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  };
  int failed = bind_it();
  if (failed != 0 && errno == EADDRINUSE) {
    if (!is_stale(address))
      throw UserError(
          fmt::format("the path {} is in use, perhaps by another run: choose another "
                      "directory",
                      path));
    ::unlink(path.c_str());
    failed = bind_it();
  }
  if (failed == 0) failed = ::chmod(path.c_str(), S_IRUSR | S_IWUSR);
  if (failed == 0) failed = ::listen(fd.get(), kBacklog);
  if (failed != 0)
    throw UserError(fmt::format("cannot make the socket {}: {}", path, std::strerror(errno)));
  return fd;
}

/// Returns the host of "tcp://host:port", without brackets; nothing if the form is wrong.
std::optional<std::string> tcp_host(std::string_view endpoint) {
  constexpr std::string_view kScheme = "tcp://";
  if (!endpoint.starts_with(kScheme)) return std::nullopt;
  endpoint.remove_prefix(kScheme.size());
  const auto colon = endpoint.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == endpoint.size())
    return std::nullopt;
  if (endpoint.find_first_not_of("0123456789", colon + 1) != std::string_view::npos)
    return std::nullopt;
  std::string_view host = endpoint.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return std::string(host);
}

bool is_wildcard(std::string_view host) noexcept {
  return host == "*" || host == "0.0.0.0" || host == "::";
}
std::string in_brackets(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}
std::string needs_keys(std::string_view host) {
  return fmt::format(
      "{} is not a loopback address, and without CURVE keys anybody on the network "
      "could read and change the messages: switch encryption on, or use 127.0.0.1",
      host);
}
}  // namespace

zmq::context_t make_zmq_context(int io_threads) {
  zmq::context_t context(io_threads);
  context.set(zmq::ctxopt::max_sockets, 16384);  // one per peer; the default is 1023
  return context;
}

zmq::socket_t make_zmq_socket(zmq::context_t& context, zmq::socket_type type) {
  zmq::socket_t socket(context, type);
  socket.set(zmq::sockopt::sndhwm, 0);
  socket.set(zmq::sockopt::rcvhwm, 0);
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::backlog, kBacklog);
  socket.set(zmq::sockopt::reconnect_ivl, kReconnectMs);
  socket.set(zmq::sockopt::reconnect_ivl_max, kReconnectMaxMs);
  return socket;
}

std::string bind_ipc(zmq::socket_t& socket, const std::string& path) {
  const std::string whole = std::filesystem::absolute(path).lexically_normal().string();
  Fd fd = listen_on(whole);
  const std::string endpoint = "ipc://" + whole;
  try {
    socket.set(zmq::sockopt::use_fd, fd.get());
    socket.bind(endpoint);
  } catch (const zmq::error_t& e) {
    ::unlink(whole.c_str());
    throw UserError(fmt::format("cannot bind {}: {}", endpoint, e.what()));
  }
  fd.release();  // ZeroMQ closes it
  return endpoint;
}

std::string bind_tcp(zmq::socket_t& socket, std::string host, int port, bool encrypted,
                     const std::string& advertise) {
  if (host == "localhost") host = "127.0.0.1";  // a socket is bound to an address, not to a name
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  if (!is_loopback(host) && !encrypted) throw UserError(needs_keys(host));
  if (is_wildcard(host) && advertise.empty())
    throw UserError(
        "all addresses are bound, so say by which name or address the others reach "
        "this host");
  const std::string target =
      fmt::format("tcp://{}:{}", in_brackets(host), port == 0 ? "*" : std::to_string(port));
  try {
    socket.set(zmq::sockopt::ipv6, host.find(':') != std::string::npos);
    socket.bind(target);
  } catch (const zmq::error_t& e) {
    if (e.num() == EADDRINUSE)
      throw UserError(fmt::format("port {} of {} is in use: choose another, or 0 for any free one",
                                  port, host));
    if (e.num() == ENODEV || e.num() == EADDRNOTAVAIL)
      throw UserError(
          fmt::format("cannot listen on {}: there is no such host, or it is another one; give an "
                      "address of this machine (`ip address` lists them)",
                      host));
    throw UserError(fmt::format("cannot bind {}: {}", target, e.what()));
  }
  const std::string bound = socket.get(zmq::sockopt::last_endpoint);
  return fmt::format("tcp://{}:{}", in_brackets(advertise.empty() ? host : advertise),
                     bound.substr(bound.rfind(':') + 1));
}

namespace {
// Reno is in every kernel and open to every user. A connection also works if this fails.
void tune(int fd, const ConnectionTuning& tuning) noexcept {
  const int bytes = tuning.send_buffer;
  if (bytes > 0) ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
#if defined(TCP_CONGESTION)
  constexpr std::string_view kUnpaced = "reno";
  if (tuning.unpaced)
    ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, kUnpaced.data(), kUnpaced.size());
#endif
}
}  // namespace

// ZeroMQ reports the descriptor of a connection to the socket's monitor. If that takes long, or after a reconnect, the
// connection is not tuned: it works, only slower.
void connect_tuned(zmq::context_t& context, zmq::socket_t& socket, const std::string& endpoint,
                   const ConnectionTuning& tuning) {
  constexpr int kLimitMs = 100;
  const std::string monitor = fmt::format("inproc://monitor-{}", socket.handle());
  zmq::socket_t events(context, zmq::socket_type::pair);
  events.set(zmq::sockopt::linger, 0);
  events.set(zmq::sockopt::rcvtimeo, kLimitMs);
  if (zmq_socket_monitor(socket.handle(), monitor.c_str(), ZMQ_EVENT_CONNECTED) != 0)
    throw zmq::error_t();
  events.connect(monitor);
  socket.connect(endpoint);
  std::vector<zmq::message_t> parts;
  if (receive_parts(events, parts) && parts[0].size() == 6) {  // 16 bits event, 32 bits value
    std::uint32_t fd = 0;
    std::memcpy(&fd, parts[0].data<std::byte>() + 2, sizeof fd);
    tune(static_cast<int>(fd), tuning);
  }
  zmq_socket_monitor(socket.handle(), nullptr, 0);
}

bool is_loopback(std::string_view host) noexcept {
  if (host == "localhost" || host == "::1" || host == "[::1]") return true;
  // Not a name that only begins like an address ("127.0.0.1.example.org").
  return host.starts_with("127.") &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_loopback_endpoint(std::string_view endpoint) {
  const auto host = tcp_host(endpoint);
  return host && is_loopback(*host);
}

void check_endpoint(const std::string& endpoint, bool encrypted) {
  if (endpoint.starts_with("ipc:///")) return;
  const auto host = tcp_host(endpoint);
  if (!host)
    throw UserError(
        fmt::format("\"{}\" is no endpoint: it should read tcp://host:port or "
                    "ipc:///path",
                    endpoint));
  if (!is_loopback(*host) && !encrypted) throw UserError(needs_keys(*host));
}

bool receive_part(zmq::socket_t& socket, zmq::message_t& part, zmq::recv_flags flags) {
  while (zmq_msg_recv(part.handle(), socket.handle(), static_cast<int>(flags)) < 0) {
    if (errno == EAGAIN) return false;
    if (errno != EINTR) throw zmq::error_t();
  }
  return true;
}

bool receive_parts(zmq::socket_t& socket, std::vector<zmq::message_t>& parts,
                   zmq::recv_flags flags) {
  parts.clear();
  do {
    zmq::message_t part;
    if (!receive_part(socket, part, flags)) return false;
    parts.push_back(std::move(part));
  } while (parts.back().more());  // all parts arrive together or not at all
  return true;
}

CurveKeys make_curve_keys() {
  std::array<char, 41> public_key{}, secret_key{};
  if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0)
    throw UserError(
        "this libzmq was built without CURVE, so it cannot encrypt: install one with "
        "libsodium, or stay on loopback");
  return {public_key.data(), secret_key.data()};
}

void set_curve_server(zmq::socket_t& socket, const CurveKeys& keys) {
  socket.set(zmq::sockopt::curve_server, true);
  socket.set(zmq::sockopt::curve_secretkey, keys.secret_key);
  socket.set(zmq::sockopt::zap_domain, "rankscope");
}

void set_curve_client(zmq::socket_t& socket, const CurveKeys& keys) {
  socket.set(zmq::sockopt::curve_serverkey, keys.public_key);
  socket.set(zmq::sockopt::curve_publickey, keys.public_key);
  socket.set(zmq::sockopt::curve_secretkey, keys.secret_key);
}

void tune_allocator() noexcept {
#ifdef __GLIBC__
  // glibc refuses a larger threshold, and a refused call still switches its own growing of the
  // threshold off: every message beyond 128 KiB would then be mapped and faulted in again.
  constexpr int kLargestThreshold = 32 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLargestThreshold);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  ::mallopt(M_TOP_PAD, 16 << 20);
#endif
}

}  // namespace rankscope
