// A worker's end of the event plane.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include <zmq.hpp>

#include "engine/core/trace/event_ring.h"
#include "engine/run/conductor/control.h"

namespace rankscope {

/// Takes batches to the conductor: through the memory that a rank shares with it (no message, no wake-up while ranks
/// share the processors with it), or through a socket to another host. Any thread of the rank may deliver.
class EventPipe : public EventSink {
 public:
  /// Bytes that wait here for room in the ring before ranks wait for the conductor.
  static constexpr std::size_t kMostBacklog = std::size_t{32} << 20;

  EventPipe(zmq::context_t& zmq, const Rendezvous& rendezvous, const std::string& endpoint);
  /// `lifeline`: a descriptor that becomes readable when the conductor is gone, and nobody waits for it any more.
  EventPipe(EventRing& ring, int lifeline) : writer_(ring), lifeline_(lifeline) {}
  void deliver(EventBatch&& batch) override;
  /// Fills what room the ring has now; true when something is still here.
  bool push();
  /// Waits at most so long until the conductor has what is here.
  void close(std::chrono::milliseconds linger);

 private:
  void write(std::span<const std::byte> data);
  bool push_locked();
  bool wait_for_room();
  std::size_t backlog() const noexcept { return backlog_.size() - pushed_; }

  std::mutex mutex_;
  std::uint64_t secret_ = 0;
  std::optional<zmq::socket_t> socket_;
  std::optional<EventRingWriter> writer_;
  int lifeline_ = -1;
  bool gone_ = false;       ///< The conductor.
  Bytes backlog_;           ///< Batches that follow those in the ring.
  std::size_t pushed_ = 0;  ///< Bytes of the backlog that are in the ring.
};

}  // namespace rankscope
