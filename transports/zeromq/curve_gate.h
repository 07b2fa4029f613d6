// The access control of CURVE sockets: admits anyone who holds the run's key pair, and reports others.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <zmq.hpp>

#include "transports/zeromq/wake_fd.h"

namespace rankscope {

/// A ZAP handler (RFC 27) with its own thread: one per ZeroMQ context, made before the context's sockets bind, and
/// stopped before the context ends.
class CurveGate {
 public:
  using OnRefused = std::function<void(const std::string& address)>;

  /// Accepts only clients with this public key (Z85). `on_refused` is called on the gate's thread for each attempt; a
  /// refused peer retries repeatedly.
  CurveGate(zmq::context_t& context, const std::string& public_key, OnRefused on_refused = {});
  ~CurveGate() { stop(); }

  /// Also reports peers that fail before they are asked for their key: without CURVE, without the server's public key,
  /// or by hanging up half-way. Call it before `server` is bound.
  void watch(zmq::socket_t& server);
  /// Ends the thread and closes its sockets, so that the context can end; the counts stay.
  void stop() noexcept;

  std::uint64_t refused() const;  ///< Number of refused attempts.
  /// Returns the first addresses that were refused, each once.
  std::vector<std::string> refused_peers() const;

 private:
  /// Follows the connections of one server socket.
  struct Monitor {
    zmq::socket_t events;
    std::map<int, std::string> address_of;  ///< By file descriptor.
    bool failed = false;                    ///< The connection that closes next was not admitted.
  };

  void serve() noexcept;
  bool serve_once();
  void answer();
  void follow(Monitor& monitor);
  void refuse(const std::string& address);

  zmq::context_t& context_;
  const OnRefused on_refused_;
  std::string accepted_;  ///< 32 bytes.
  WakeFd wake_fd_;
  zmq::socket_t requests_;         ///< Used only by the thread, once it runs.
  std::vector<Monitor> monitors_;  ///< Used only by the thread.

  mutable std::mutex mutex_;  ///< Guards the fields below.
  bool stopping_ = false;
  std::vector<zmq::socket_t> new_monitors_;
  std::uint64_t refused_ = 0;
  std::vector<std::string> addresses_;
  std::thread thread_;
};

}  // namespace rankscope
