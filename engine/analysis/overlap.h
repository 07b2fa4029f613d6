// When ranks compute and communicate: how much communication computing hides, and how much is exposed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/interval.h"
#include "engine/core/trace/trace.h"

namespace rankscope {

/// A time span in which a rank does one thing, on the clock of Trace::time_ns().
struct WorkSpan {
  Interval time;
  std::string name;          ///< Its phase; empty outside of phases.
  std::uint16_t strand = 0;  ///< 0 is the rank's main strand.
};

/// One rank's computing and communicating, each list sorted by beginning.
struct RankWork {
  Rank rank = -1;
  Interval time;  ///< The phase that was asked for, or from the rank's first event to its last.
  std::vector<WorkSpan> computing;
  std::vector<WorkSpan> communicating;
};

/// By rank, without ranks that were never in the phase. Events of the verb compute are computing. Communicating are
/// phases with messages and no computing (the outermost of nested ones), from beginning to end, and messages outside of
/// such phases, from posting to completion. With `phase`, only while the rank's main strand is in the phase of this
/// name.
std::vector<RankWork> work_of_ranks(const Trace& trace, std::string_view phase = {});

/// The outermost phases of main strands in which something computes, in their order: the steps of a training program.
std::vector<std::string> phases_that_compute(const Trace& trace);

/// The times of one rank, in nanoseconds.
struct OverlapTimes {
  std::int64_t total = 0;
  std::int64_t computing = 0, communicating = 0;  ///< On any strand; overlapping times count once.
  std::int64_t hidden = 0;                        ///< Communication runs, and so does computing.
  std::int64_t exposed = 0;                       ///< Communication runs, and nothing computes.
};
OverlapTimes overlap_times(const RankWork& work);

}  // namespace rankscope
