// A recorded run, or the loaded part of it, in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/base/buffer.h"
#include "engine/core/run/trace_meta.h"
#include "engine/core/trace/event.h"

namespace rankscope {

/// A moment of a trace: cursor k means that events 0 .. k-1 of its order have happened.
using Cursor = std::uint64_t;

struct BufferState {
  std::uint32_t buffer = 0;        ///< The definition's id.
  std::vector<std::byte> samples;  ///< Values at Sampling(count) positions; see known.
  std::vector<bool> known;         ///< By sample: whether a value was seen.
  Cursor changed = 0;  ///< 1 + position of the last event that changed it; 0 if none did.
};

/// The parts of a trace file that could not be read.
struct TraceIssues {
  bool cut = false;       ///< The file ends in the middle of a block.
  bool unclosed = false;  ///< It has no end block: the recorder was killed, or is still recording.
  std::uint64_t damaged_blocks = 0;
  std::uint64_t lost_events =
      0;  ///< In damaged or missing blocks; excludes events lost by a rank itself.
  bool lost_exactly = true;  ///< If false, the number is a lower bound.

  bool any() const noexcept { return cut || unclosed || damaged_blocks > 0 || lost_events > 0; }
  bool operator==(const TraceIssues&) const = default;
  /// Returns a message for a person: "2 damaged blocks; at least 1200 events lost"; empty if there are no
  /// issues.
  std::string to_string() const;
};

/// The loaded part of a run that is too large to be held whole: see StreamedTrace.
struct TracePart {
  std::int64_t origin_ns = 0;             ///< Corrected time of the run's first event.
  std::int64_t run_ns = 0;                ///< The run's duration.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< The loaded interval, in the time of Trace::time_ns().
  std::uint64_t run_events = 0;
};

class TraceBuilder;

/// A merged view: events in causal time order, definitions by number, buffers' contents at any moment.
/// Cheap to copy: copies and later snapshots of one builder share events and contents.
class Trace {
 public:
  Trace();  ///< An empty trace.
  const TraceMeta& meta() const noexcept;
  int world_size() const noexcept;
  std::uint64_t size() const noexcept;  ///< The number of events.
  /// Returns the k-th event in causal time order. Times are corrected by clock offsets; a receive that would then be
  /// earlier than its send is moved behind it and marked (see clamped()).
  const StepEvent& operator[](std::uint64_t k) const noexcept;
  std::int64_t time_ns(
      std::uint64_t k) const noexcept;  ///< Corrected, relative to the run's first event.
  bool clamped(std::uint64_t k) const noexcept;
  std::span<const std::byte> preview(std::uint64_t k) const;
  const Definition* definition(Definition::Kind kind, std::uint32_t id) const noexcept;
  /// Number i is at index i - 1. An entry whose id is 0 was lost with a damaged block. Sites, phases and communicators
  /// are shared by ranks (their rank is -1).
  std::span<const Definition> definitions(Definition::Kind kind) const noexcept;
  /// Returns the first position at which the time is `time_ns` (see time_ns()) or later.
  Cursor at_time(std::int64_t time_ns) const noexcept;
  const TraceIssues& issues() const noexcept;
  /// Null if the trace is the whole run. For a part, nothing can be concluded that depends on events before or after
  /// it: findings, a buffer's contents, messages never received.
  const TracePart* part() const noexcept;
  /// Gaps found in the per-rank sequence numbers: (rank, events missing).
  const std::vector<std::pair<Rank, std::uint64_t>>& gaps() const noexcept;

  /// Returns all watched buffers of all ranks after the first `cursor` events, in the order of their definition numbers
  /// (BufferState::buffer), without buffers whose definition was lost. Checkpoints make this fast in both directions.
  std::vector<BufferState> seek(Cursor cursor) const;

  struct Data;  ///< See trace_data.h.

 private:
  friend class TraceBuilder;
  explicit Trace(std::shared_ptr<const Data> data);
  std::shared_ptr<const Data> data_;
};

/// Returns the definition, or the innermost one around it (a site's caller, a phase's enclosing phase), for which `is`
/// returns true. Null if there is none.
template <class Is>
const Definition* find_around(const Trace& trace, Definition::Kind kind, std::uint32_t id, Is is) {
  constexpr int kDeepest = 64;  // a damaged file may have cycles
  for (int depth = 0; depth < kDeepest; ++depth) {
    const Definition* const one = trace.definition(kind, id);
    if (one == nullptr) break;
    if (is(*one)) return one;
    id = one->parent;
  }
  return nullptr;
}

/// Returns whether a phase is inside a built-in collective that a program called.
inline bool in_built_in(const Trace& trace, std::uint32_t phase) {
  return find_around(trace, Definition::Kind::phase, phase, [](const Definition& one) {
           return one.name.starts_with(kBuiltIn);
         }) != nullptr;
}

/// Returns null if the trace names no collective, as that of a program.
inline const CollectiveTraits* traits_of(const Trace& trace) noexcept {
  const auto& collective = trace.meta().collective;
  return collective ? &traits(*collective) : nullptr;
}

}  // namespace rankscope
