// A run, whole, in memory: the only bridge from running to showing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/base/buffer.h"
#include "engine/core/run/trace_meta.h"
#include "engine/core/trace/event.h"

namespace rankscope {

/// A merged view: events in causal time order, definitions by number, contents at any moment.
/// `Cursor` k means: events 0 .. k-1 of the order have happened.
using Cursor = std::uint64_t;

struct BufferState {
  std::uint32_t buffer = 0;        ///< Definition id.
  std::vector<std::byte> samples;  ///< Values at Sampling(count) positions; see known.
  std::vector<bool> known;         ///< A value was seen for this sample.
  Cursor changed = 0;              ///< 1 + position of the last event that changed it; 0: never.
};

/// What could not be read of a trace file.
struct TraceIssues {
  bool cut = false;       ///< The file ends in the middle of a block.
  bool unclosed = false;  ///< It has no end block: the recorder was killed, or still records.
  std::uint64_t damaged_blocks = 0;
  std::uint64_t lost_events = 0;  ///< In damaged or missing blocks; not those that a rank lost.
  bool lost_exactly = true;       ///< False: the number is at least this.

  bool any() const noexcept { return cut || unclosed || damaged_blocks > 0 || lost_events > 0; }
  bool operator==(const TraceIssues&) const = default;
  /// For a person: "the file was cut: 1 block of about 1200 events is lost"; empty when all is
  /// well.
  std::string to_string() const;
};

/// Some of a run's time, of a run too large to be held whole: see StreamedTrace.
struct TracePart {
  std::int64_t origin_ns = 0;             ///< Corrected time of the run's first event.
  std::int64_t run_ns = 0;                ///< How long the run takes.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< What is held, as Trace::time_ns().
  std::uint64_t run_events = 0;
};

class TraceBuilder;

/// Cheap to copy: copies and later snapshots of one builder share events and contents.
class Trace {
 public:
  Trace();  ///< An empty one.
  const TraceMeta& meta() const noexcept;
  int world_size() const noexcept;
  std::uint64_t size() const noexcept;  ///< Number of events.
  /// k-th event in causal time order: times corrected by clock offsets; where an arrow would run
  /// backwards the receive is moved behind the send and marked (clamped()).
  const StepEvent& operator[](std::uint64_t k) const noexcept;
  std::int64_t time_ns(
      std::uint64_t k) const noexcept;  ///< Corrected, relative to the run's first event.
  bool clamped(std::uint64_t k) const noexcept;
  std::span<const std::byte> preview(std::uint64_t k) const;
  const Definition* definition(Definition::Kind kind, std::uint32_t id) const noexcept;
  /// Number i is at index i - 1. One whose id is 0 was lost with a damaged block. Sites, phases and
  /// communicators are shared by ranks (their rank is -1).
  std::span<const Definition> definitions(Definition::Kind kind) const noexcept;
  /// The first position at which the time is `time_ns` (see time_ns()) or later.
  Cursor at_time(std::int64_t time_ns) const noexcept;
  const TraceIssues& issues() const noexcept;
  /// Null: all of the run. Of a part nothing can be said that what came before, or comes after, decides:
  /// findings, whose data a buffer holds, what was never received.
  const TracePart* part() const noexcept;
  /// Gaps found in the per-rank sequence numbers: (rank, events missing).
  const std::vector<std::pair<Rank, std::uint64_t>>& gaps() const noexcept;

  /// All watched buffers of all ranks after the first `cursor` events, in the order of their
  /// definition numbers (BufferState::buffer); a buffer whose definition was lost has no entry. Fast,
  /// forwards and backwards: checkpoints.
  std::vector<BufferState> seek(Cursor cursor) const;

  struct Data;  ///< See trace_data.h.

 private:
  friend class TraceBuilder;
  explicit Trace(std::shared_ptr<const Data> data);
  std::shared_ptr<const Data> data_;
};

/// Null: a program's of somebody else.
inline const CollectiveTraits* traits_of(const Trace& trace) noexcept {
  const auto& collective = trace.meta().collective;
  return collective ? &traits(*collective) : nullptr;
}

}  // namespace rankscope
