// The times in which ranks compute and communicate: how much communication is hidden behind computing, and how much exposed.
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
  Interval time;  ///< The phase, or from the rank's first event to its last.
  std::vector<WorkSpan> computing;
  std::vector<WorkSpan> communicating;
};

/// Returns the work of each rank, without ranks that were never in the phase. Computing are events of the verb compute;
/// communicating are phases with messages and without computing (the outermost of nested ones), from beginning to end, and
/// messages outside of such phases, from posting to completion. With `phase`, only while the rank's main strand is in the
/// phase of this name.
std::vector<RankWork> work_of_ranks(const Trace& trace, std::string_view phase = {});

/// Returns the outermost phases of main strands in which something computes, in order: the steps of a training program.
std::vector<std::string> phases_that_compute(const Trace& trace);

/// Returns the intervals in which communication runs and nothing computes.
std::vector<Interval> exposed_intervals(const RankWork& work);

/// The times of one rank, in nanoseconds.
struct OverlapTimes {
  std::int64_t total = 0;
  std::int64_t computing = 0, communicating = 0;  ///< On any strand; overlapping times count once.
  std::int64_t hidden = 0;                        ///< Communication runs, and so does computing.
  std::int64_t exposed = 0;                       ///< Communication runs, and nothing computes.
};
OverlapTimes overlap_times(const RankWork& work);

}  // namespace rankscope
