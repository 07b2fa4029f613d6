// All state of a rank that outlives its communicators: identity, progress engine, recorder, gate, settings of the
// current job.
#pragma once

#include <atomic>

#include "engine/core/base/tick_clock.h"
#include "engine/core/message/gate.h"
#include "engine/core/message/progress.h"
#include "engine/core/message/virtual_rank.h"
#include "engine/core/trace/recorder.h"

namespace rankscope {

/// Settings that a job sets for all its messages.
struct RankSettings {
  SendMode mode = SendMode::buffered;
  /// In rendezvous mode, messages up to this many bytes are still sent eagerly.
  std::uint64_t eager_limit = 0;
  TraceLevel trace = TraceLevel::off;
  /// Records a wait for a request even if it did not block, so that the trace shows which operations the program waited
  /// for, and where.
  bool every_wait = false;
  /// The longest that a single wait may last.
  Deadline::Duration wait_limit = Deadline::Duration::max();
  /// Buffers have sizes but no memory, in a simulation that moves no data.
  bool ghost = false;
};

class RankContext : private Endpoint::Observer {
 public:
  /// `link` must outlive the context; `sink`, `status`, `gate` and, for a real rank, `virtual_rank` may be null.
  RankContext(Rank rank, int world_size, Link& link, EventSink* sink, StatusPage* status,
              Gate* gate, VirtualRank* virtual_rank = nullptr);

  void begin_job(std::uint32_t epoch, const RankSettings& settings);

  Rank rank() const noexcept { return rank_; }
  int world_size() const noexcept { return world_size_; }
  const RankSettings& settings() const noexcept { return settings_; }
  /// Returns whether a send of this many bytes waits for its receive.
  bool rendezvous(std::uint64_t bytes) const noexcept {
    return settings_.mode == SendMode::rendezvous && bytes > settings_.eager_limit;
  }
  Recorder& recorder() noexcept { return recorder_; }
  Progress& progress() noexcept { return progress_; }
  Link& link() noexcept { return link_; }
  /// Returns memory for messages: the link's own if it has some that receivers can read in place.
  Buffer buffer(DType dtype, const Shape& shape, bool fill = true);

  /// Stops at the gate; records the artificial delay, if any.
  void pass_gate(const GatePoint& point, std::uint32_t comm);
  /// Reports that the strand of `op` sleeps at `site` until it, or (`one_of`) another of several, is done.
  void note_blocked(const Operation& op, std::uint32_t site, bool one_of = false) noexcept;
  void note_woke(std::uint16_t strand) noexcept;
  /// Returns whether the rank's current verb may be observed.
  bool is_watched() const noexcept { return status_ != nullptr || gate_ != nullptr; }
  bool gate_wants_attention() const noexcept { return gate_ != nullptr && gate_->attention(); }
  /// Null if nothing can hold this rank.
  Gate* gate() noexcept { return gate_; }
  std::uint16_t new_strand() noexcept;
  /// Null if the rank uses this machine's time.
  VirtualRank* virtual_rank() noexcept { return virtual_; }
  std::int64_t now_ns() const noexcept {
    return virtual_ == nullptr ? event_clock_ns() : virtual_->now_ns();
  }
  /// Counted from now, on the rank's clock.
  Deadline deadline_in(Deadline::Duration span) const noexcept;
  bool passed(Deadline deadline) const noexcept;

  /// Updates the status page: the rank's current verb, and whether it sleeps there.
  void enter_verb(const GatePoint& point) noexcept;
  void set_state(RankState state) noexcept;
  void set_status_op(OpId op) noexcept;

 private:
  void show_verb(const GatePoint& point) noexcept;
  void on_matched(const Operation& op) override;
  void on_completed(const Operation& op) override;

  const Rank rank_;
  const int world_size_;
  Link& link_;
  StatusPage* const status_;
  Gate* const gate_;
  VirtualRank* const virtual_;
  RankSettings settings_;
  Recorder recorder_;
  Progress progress_;
  std::atomic<std::uint16_t> strands_{0};
};

/// Returns the event of one stage of a send or receive.
StepEvent event_of(const Operation& op, EventKind kind);

}  // namespace rankscope
