// What a rank of a simulation has in place of a processor: a clock of its own, and strands that share one thread.
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

/// A rank in virtual time. All strands of all ranks run on one thread, one at a time, and give way only in the calls
/// below: nothing of such a rank needs a lock. Real ranks have none (a null pointer), and sleep on their thread.
class VirtualRank : public EventClock {
 public:
  Clock::time_point now() const noexcept {
    return Clock::time_point(std::chrono::nanoseconds(now_ns()));
  }

  // The calling strand keeps its rank's processor busy. A rank has one: strands take turns, first come, first served.
  virtual void compute(std::chrono::nanoseconds time) = 0;
  virtual void reduce(std::uint64_t bytes) = 0;
  /// A message is handed over, or taken.
  virtual void handle_message(std::uint64_t bytes) = 0;
  /// A look that found nothing takes time, so that a loop of them comes to an end.
  virtual void poll_found_nothing() = 0;

  /// The calling strand sleeps until one of `ops` may be done, somebody wakes all, or `deadline` on this clock.
  virtual void sleep(std::span<const OperationPtr> ops, Deadline deadline) = 0;
  /// A strand of the rank has done something that others may wait for.
  virtual void wake_done() = 0;
  virtual void wake_all() noexcept = 0;
  /// Where the code of the calling strand is about to sleep (Recorder's id).
  virtual void note_site(std::uint32_t site) noexcept = 0;

  /// Begins when the calling strand gives way.
  virtual void start_strand(std::uint16_t strand, std::function<void()> body) = 0;
  /// Returns when that strand has ended.
  virtual void join_strand(std::uint16_t strand, const CallSite& where) = 0;

  /// The switches of the network that add up what passes, for a job that uses them (reducing_tree.h); else null.
  virtual const ReducingTree* reducing_tree() const noexcept { return nullptr; }

  // Of a rank whose program is a process: virtual time stands still while the calling strand waits for it.
  /// Looks whether the run is to end. To be called a few times a second.
  virtual void look_outside() {}
  /// The process acts only after other ranks have, so time goes on for them: returns when `ready` says so. It is asked
  /// between what happens; when nothing is left that can (`still`), it may block for a moment.
  virtual void wait_outside(const std::function<bool(bool still)>& ready) { (void)ready; }
  /// Goes on when everything has happened that this moment still brings.
  virtual void let_others_come() {}
};

}  // namespace rankscope
