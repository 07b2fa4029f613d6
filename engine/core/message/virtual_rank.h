// A simulated rank's replacement for a processor: its own clock, and strands that share one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>

#include "engine/core/base/deadline.h"
#include "engine/core/message/endpoint.h"
#include "engine/core/trace/recorder.h"

namespace rankscope {

struct ReducingTree;

/// A rank in virtual time. All strands of all ranks run on one thread, one at a time, and yield only in the calls
/// below, so such a rank needs no locks. Real ranks have none (a null pointer) and sleep on their thread.
class VirtualRank : public EventClock {
 public:
  Clock::time_point now() const noexcept {
    return Clock::time_point(std::chrono::nanoseconds(now_ns()));
  }

  // The calling strand occupies its rank's processor. A rank has one; strands take turns, first come, first served.
  virtual void compute(std::chrono::nanoseconds time) = 0;
  virtual void reduce(std::uint64_t bytes) = 0;
  /// Charges for handing over or taking a message.
  virtual void handle_message(std::uint64_t bytes) = 0;
  /// Charges for a poll that found nothing, so that a polling loop comes to an end.
  virtual void poll_found_nothing() = 0;

  /// The calling strand sleeps until one of `ops` may be done, another strand wakes all, or `deadline` on this clock.
  virtual void sleep(std::span<const OperationPtr> ops, Deadline deadline) = 0;
  /// Wakes the rank's strands: one of them has done something that others may wait for.
  virtual void wake_done() = 0;
  virtual void wake_all() noexcept = 0;
  /// Notes where the calling strand's code is about to sleep (the Recorder's id).
  virtual void note_site(std::uint32_t site) noexcept = 0;

  /// Starts a strand, which first runs when the calling strand yields.
  virtual void start_strand(std::uint16_t strand, std::function<void()> body) = 0;
  /// Returns once that strand has ended.
  virtual void join_strand(std::uint16_t strand, const CallSite& where) = 0;

  /// Returns the reducing switches of the network for a job that uses them (reducing_tree.h); otherwise null.
  virtual const ReducingTree* reducing_tree() const noexcept { return nullptr; }

  // For a rank whose program is a process: virtual time stands still while the calling strand waits for it.
  /// Checks whether the run is to end. Must be called several times per second.
  virtual void look_outside() {}
  /// Lets virtual time advance for other ranks, on which the process waits, until `ready` returns true.
  /// `ready` is called between events; once nothing else can happen (`still`), it may block for a moment.
  virtual void wait_outside(const std::function<bool(bool still)>& ready) { (void)ready; }
  /// Returns once all events of the current moment have happened.
  virtual void let_others_come() {}
};

}  // namespace rankscope
