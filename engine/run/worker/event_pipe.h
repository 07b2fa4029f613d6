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

/// Delivers batches to the conductor: through the memory that a rank shares with it (no messages, and no wake-ups while
/// ranks share processors with it), or through a socket to another host. Any thread of the rank may deliver.
class EventPipe : public EventSink {
 public:
  /// The most bytes that wait here for room in the ring before ranks wait for the conductor.
  static constexpr std::size_t kMostBacklog = std::size_t{32} << 20;

  EventPipe(zmq::context_t& zmq, const Rendezvous& rendezvous, const std::string& endpoint);
  /// `lifeline` is a descriptor that becomes readable when the conductor is gone; deliver() and close() then no longer
  /// wait for room.
  EventPipe(EventRing& ring, int lifeline) : writer_(ring), lifeline_(lifeline) {}
  void deliver(EventBatch&& batch) override;
  /// Fills the room that the ring has now; returns whether something is left here.
  bool push();
  /// Waits at most this long until everything is in the ring, or sent.
  void close(std::chrono::milliseconds linger);

 private:
  void write(std::span<const std::byte> data);
  bool push_locked();
  bool pause_for_reader();
  std::size_t backlog() const noexcept { return backlog_.size() - pushed_; }

  std::mutex mutex_;
  std::uint64_t secret_ = 0;
  std::optional<zmq::socket_t> socket_;
  std::optional<EventRingWriter> writer_;
  int lifeline_ = -1;
  bool gone_ = false;       ///< Whether the conductor is gone.
  Bytes backlog_;           ///< Batches that follow those in the ring.
  std::size_t pushed_ = 0;  ///< Bytes of the backlog that are in the ring.
};

}  // namespace rankscope
