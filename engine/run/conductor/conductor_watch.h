// What a worker that joined over the network learns of its connection to the conductor: that it was
// refused, or that it broke. (A spawned worker has its lifeline instead.)
#pragma once

#include <zmq.hpp>

namespace rankscope {

class ConductorWatch {
 public:
  /// To be made before `control` connects.
  ConductorWatch(zmq::context_t& context, zmq::socket_t& control);
  /// Readable when there is something to drain().
  zmq::socket_t& socket() noexcept { return events_; }
  void drain();
  /// The other side does not take our key, or speaks another protocol.
  bool refused() const noexcept { return refused_; }
  /// It was there, and is not any more.
  bool gone() const noexcept { return gone_; }

 private:
  zmq::socket_t events_;
  int failures_ = 0;
  bool connected_ = false, refused_ = false, gone_ = false;
};

}  // namespace rankscope
