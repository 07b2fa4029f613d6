// Answers ZeroMQ's authentication requests (ZAP) and records refused peers.
#include "transports/zeromq/curve_gate.h"

#include <cstring>

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "transports/zeromq/zmq_util.h"

namespace rankscope {
namespace {
constexpr std::size_t kKeySize = 32, kKeyText = 40;
constexpr std::size_t kMostAddresses = 64;
constexpr std::size_t kRequestParts = 7;  // version, id, domain, address, identity, mechanism, key
constexpr int kEvents = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED |
                        ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                        ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;

/// Returns the peer of a Unix domain socket: "process 4711 of this host".
std::string local_peer(std::string_view pid) {
  return pid.empty() ? "a process of this host" : fmt::format("process {} of this host", pid);
}

/// Names a ZAP address: an IP address, or that of a local peer, "localhost:uid:gid:pid" or "".
std::string named(std::string_view address) {
  if (!address.empty() && !address.starts_with("localhost:")) return std::string(address);
  const auto colon = address.rfind(':');
  return local_peer(colon == std::string_view::npos ? "" : address.substr(colon + 1));
}

/// Returns "192.0.2.7", a local peer's process, or "an unknown address" after the connection closed.
std::string peer_address(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char host[NI_MAXHOST];
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::getpeername(fd, generic, &size) != 0) return "an unknown address";
  if (address.ss_family == AF_UNIX) {
#ifdef SO_PEERCRED
    ucred who{};
    size = sizeof who;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0)
      return local_peer(std::to_string(who.pid));
#endif
    return local_peer({});
  }
  if (::getnameinfo(generic, size, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0)
    return "an unknown address";
  return host;
}
}  // namespace

CurveGate::CurveGate(zmq::context_t& context, const std::string& public_key, OnRefused on_refused)
    : context_(context), on_refused_(std::move(on_refused)), accepted_(kKeySize, '\0') {
  if (public_key.size() != kKeyText ||
      zmq_z85_decode(reinterpret_cast<std::uint8_t*>(accepted_.data()), public_key.c_str()) ==
          nullptr)
    throw UserError("a CURVE key is text of 40 characters (Z85)");
  requests_ = make_zmq_socket(context, zmq::socket_type::rep);
  requests_.bind("inproc://zeromq.zap.01");
  thread_ = std::thread([this] { serve(); });
}

void CurveGate::watch(zmq::socket_t& server) {
  const std::string address = fmt::format("inproc://rankscope.gate.{}", server.handle());
  if (zmq_socket_monitor(server.handle(), address.c_str(), kEvents) != 0) throw zmq::error_t();
  auto events = make_zmq_socket(context_, zmq::socket_type::pair);
  events.connect(address);
  {
    const std::lock_guard lock(mutex_);
    new_monitors_.push_back(std::move(events));
  }
  wake_fd_.wake();
}

void CurveGate::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_fd_.wake();
  if (thread_.joinable()) thread_.join();
  requests_.close();
  monitors_.clear();
  new_monitors_.clear();
}

void CurveGate::serve() noexcept {
  try {
    while (serve_once()) {
    }
  } catch (const zmq::error_t&) {
    // The context was closed: no further peer is admitted.
  }
}

bool CurveGate::serve_once() {
  std::vector<zmq_pollitem_t> items{{requests_.handle(), 0, ZMQ_POLLIN, 0},
                                    {nullptr, wake_fd_.fd(), ZMQ_POLLIN, 0}};
  for (auto& monitor : monitors_) items.push_back({monitor.events.handle(), 0, ZMQ_POLLIN, 0});
  if (zmq_poll(items.data(), static_cast<int>(items.size()), -1) < 0) {
    if (errno == EINTR) return true;
    throw zmq::error_t();
  }
  if (items[0].revents != 0) answer();
  for (std::size_t i = 0; i < monitors_.size(); ++i)
    if (items[i + 2].revents != 0) follow(monitors_[i]);
  if (items[1].revents != 0) {
    wake_fd_.drain();
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    for (auto& events : new_monitors_) monitors_.push_back({std::move(events), {}, false});
    new_monitors_.clear();
  }
  return true;
}

void CurveGate::answer() {
  std::vector<zmq::message_t> request;
  if (!receive_parts(requests_, request, zmq::recv_flags::dontwait)) return;
  if (request.size() < 2) return;
  const bool known = request.size() == kRequestParts && request[5].to_string_view() == "CURVE" &&
                     request[6].to_string_view() == accepted_;
  if (!known) refuse(named(request.size() > 3 ? request[3].to_string_view() : ""));
  const std::string_view status = known ? "200" : "400";
  const std::string_view text = known ? "OK" : "not a member of this run";
  requests_.send(zmq::buffer(std::string_view("1.0")), zmq::send_flags::sndmore);
  requests_.send(request[1], zmq::send_flags::sndmore);
  requests_.send(zmq::buffer(status), zmq::send_flags::sndmore);
  requests_.send(zmq::buffer(text), zmq::send_flags::sndmore);
  requests_.send(zmq::message_t(), zmq::send_flags::sndmore);
  requests_.send(zmq::message_t(), zmq::send_flags::none);
}

// ZeroMQ reports a failed handshake without a descriptor. The next event, its disconnect, has one
// (stream_engine_base_t::error of libzmq).
void CurveGate::follow(Monitor& monitor) {
  std::vector<zmq::message_t> parts;
  while (receive_parts(monitor.events, parts, zmq::recv_flags::dontwait)) {
    std::uint16_t event = 0;
    std::int32_t value = 0;
    if (parts[0].size() < sizeof event + sizeof value) continue;
    std::memcpy(&event, parts[0].data(), sizeof event);
    std::memcpy(&value, parts[0].data<std::byte>() + sizeof event, sizeof value);
    if (event == ZMQ_EVENT_ACCEPTED) {
      monitor.address_of[value] = peer_address(value);
    } else if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
      monitor.failed = false;
    } else if (event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL ||
               event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL) {
      monitor.failed = true;
    } else if (event == ZMQ_EVENT_DISCONNECTED) {
      auto connection = monitor.address_of.extract(value);
      if (std::exchange(monitor.failed, false))
        refuse(connection.empty() ? "an unknown address" : connection.mapped());
    }
  }
}

void CurveGate::refuse(const std::string& address) {
  {
    const std::lock_guard lock(mutex_);
    ++refused_;
    if (addresses_.size() < kMostAddresses && ranges::find(addresses_, address) == addresses_.end())
      addresses_.push_back(address);
  }
  if (on_refused_) on_refused_(address);
}

std::uint64_t CurveGate::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

std::vector<std::string> CurveGate::refused_peers() const {
  const std::lock_guard lock(mutex_);
  return addresses_;
}

}  // namespace rankscope
