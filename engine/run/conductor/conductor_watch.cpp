// Watches a joined worker's connection with a ZeroMQ monitor socket.
#include "engine/run/conductor/conductor_watch.h"

#include <cstdint>
#include <cstring>

#include "engine/run/conductor/sockets.h"

namespace rankscope {
namespace {
constexpr const char* kAddress = "inproc://conductor-watch";
// A conductor that is killed while we shake hands looks like one that refuses: it gets more chances.
constexpr int kFailures = 4;
constexpr int kPingMs = 1'000, kSilenceMs = 5'000;
constexpr std::size_t kEventSize = sizeof(std::uint16_t) + sizeof(std::uint32_t);
}  // namespace

ConductorWatch::ConductorWatch(zmq::context_t& context, zmq::socket_t& control) {
  control.set(zmq::sockopt::heartbeat_ivl, kPingMs);  // a host that vanished closes nothing
  control.set(zmq::sockopt::heartbeat_timeout, kSilenceMs);
  const int events = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                     ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                     ZMQ_EVENT_DISCONNECTED;
  if (zmq_socket_monitor(control.handle(), kAddress, events) != 0) throw zmq::error_t();
  events_ = zmq::socket_t(context, zmq::socket_type::pair);
  events_.set(zmq::sockopt::linger, 0);
  events_.connect(kAddress);
}

void ConductorWatch::drain() {
  while (true) {
    const auto parts = receive_waiting(events_);
    if (parts.empty()) return;
    if (parts[0].size() < kEventSize) continue;
    std::uint16_t event = 0;
    std::memcpy(&event, parts[0].data(), sizeof event);
    switch (event) {
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: connected_ = true; break;
      case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: refused_ = true; break;  // ZeroMQ tries no more
      case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: refused_ |= ++failures_ >= kFailures; break;
      default:  // a server that cannot read our first message hangs up without a word
        gone_ |= connected_;
        refused_ |= !connected_ && ++failures_ >= kFailures;
        break;
    }
  }
}

}  // namespace rankscope
