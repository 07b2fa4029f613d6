// The doorkeeper of CURVE sockets: lets in whoever holds the run's key pair, and names the others.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <zmq.hpp>

#include "transports/zeromq/wake_fd.h"

namespace rankscope {

/// A ZAP handler (RFC 27) with a thread of its own: one a ZeroMQ context, made before its sockets
/// bind, destroyed before the context ends.
class CurveGate {
 public:
  using OnRefused = std::function<void(const std::string& address)>;

  /// Accepts clients with this public key (Z85) only. `on_refused` is called on the gate's thread.
  CurveGate(zmq::context_t& context, const std::string& public_key, OnRefused on_refused = {});
  ~CurveGate() { stop(); }
  /// Ends the thread and frees the context; what was counted stays.
  void stop() noexcept;

  std::uint64_t refused() const;
  /// The first addresses that were refused.
  std::vector<std::string> refused_peers() const;

 private:
  void serve();
  void answer();
  void refuse(const std::string& address);

  const OnRefused on_refused_;
  std::string accepted_;  ///< 32 bytes.
  zmq::socket_t requests_;
  WakeFd stop_fd_;
  mutable std::mutex mutex_;
  std::uint64_t refused_ = 0;
  std::vector<std::string> addresses_;
  std::thread thread_;
};

}  // namespace rankscope
