// Tracks a rank outside of its verbs: idle until its program calls it, or computing. The trace records only what was
// going on when the run was ended.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "engine/capi/port.h"
#include "engine/core/message/rank_context.h"

namespace rankscope::capi {

class OutsideVerbs {
 public:
  /// `comm` is the definition of the world's communicator.
  OutsideVerbs(RankContext& rank, std::uint32_t comm) : rank_(rank), comm_(comm) {}

  /// See rs_idle(). Called by the rank's own thread. Returns true if the run was ended meanwhile; a rank that was idle
  /// has then recorded it.
  bool set_idle(Port::Idle idle, const Site& where);
  bool is_idle() const noexcept { return strand_ != 0; }
  /// The rank leaves. If it did nothing since it was idle, the trace records that, because a run may have been ended
  /// before this rank noticed.
  void ends();
  /// See rs_watch_work(). Returns when the run is ended, or after leave().
  void watch_work(const std::function<void(const Port::Told&)>& ask);
  /// Notes that the rank is about to leave, from this line.
  void was_at(const Site& where);
  void leave() noexcept;

 private:
  bool has_worked() const;
  void record_idle();
  void record(Verb verb, std::int64_t since, const Site& where, Rank peer);

  RankContext& rank_;
  const std::uint32_t comm_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool left_ = false;
  /// The time of the last verb, and the number of events at that time: see watch_work().
  std::int64_t works_since_ns_ = 0;
  std::uint64_t events_ = 0;
  /// The strand of an idle rank: this strand and the main one sleep, and only the rank itself ends it.
  std::atomic<std::uint16_t> strand_ = 0;
  Port::Idle idle_ = Port::Idle::awake;
  std::int64_t since_ns_ = 0;
  std::uint32_t site_ = 0;
  /// The number of events when it was last awoken; 0 if it was not, or its wait is recorded.
  std::uint64_t awoken_at_ = 0;
};

}  // namespace rankscope::capi
