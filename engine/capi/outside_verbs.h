// A rank outside of its verbs: it waits until its program calls it, or it computes. In the trace stands only
// what went on when the run was ended.
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
  /// `comm`: the definition of the world's communicator.
  OutsideVerbs(RankContext& rank, std::uint32_t comm) : rank_(rank), comm_(comm) {}

  /// See rs_idle(). Called by the rank's own thread. True: the run was ended meanwhile, and a rank that was idle has
  /// recorded so.
  bool set_idle(Port::Idle idle, const Site& where);
  bool is_idle() const noexcept { return strand_ != 0; }
  /// The rank leaves. Where it did nothing after it was idle, it says so in the trace: a run may have been ended before
  /// this rank heard of it.
  void ends();
  /// See rs_watch_work(). Returns when the run is ended, or after leave().
  void watch_work(const std::function<void(const Port::Told&)>& ask);
  /// The rank is about to leave, and came from this line.
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
  /// The time of the last verb, and the number of events then: see watch_work().
  std::int64_t works_since_ns_ = 0;
  std::uint64_t events_ = 0;
  /// Of an idle rank: it and the main strand sleep for it, and nobody ends it but the rank.
  std::atomic<std::uint16_t> strand_ = 0;
  Port::Idle idle_ = Port::Idle::awake;
  std::int64_t since_ns_ = 0;
  std::uint32_t site_ = 0;
  /// How many events there were when it was last awoken; 0: it was not, or its wait is recorded.
  std::uint64_t awoken_at_ = 0;
};

}  // namespace rankscope::capi
