// What a grader found wrong in a run, kept in the run's trace: anyone who opens it is led to the place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// One rule that the run breaks.
struct RunFault {
  std::string rule;  ///< What is right: the rule's words.
  std::string says;  ///< What is wrong: "step 1: rank 0 sent to rank 2, where rank 1 was expected".
  std::string site;  ///< "my_broadcast.py:22"; may be empty.
  Rank rank = -1;
  /// Of the event, in the rank's own stream: positions in a trace may differ from one reading to the next.
  std::optional<std::uint32_t> seq;
  bool operator==(const RunFault&) const = default;
};

/// All that is wrong with one run of an exercise; where it shows comes first.
struct RunFaults {
  std::string exercise;  ///< Its title.
  std::string run;       ///< "4 ranks, [8], float32"
  std::vector<RunFault> faults;
  bool operator==(const RunFaults&) const = default;
};

/// The fault's event in the trace that it is of.
RunFault fault_at(const Trace& trace, std::uint64_t event);
/// kNoEvent: it has none, or the trace lacks it.
std::uint64_t event_of(const Trace& trace, const RunFault& fault);

/// Beside the result, under "faults".
void add_faults(TraceMeta& meta, const RunFaults& faults);
/// Nothing: no grader has looked at this run, or what it wrote cannot be read.
std::optional<RunFaults> faults_in(const TraceMeta& meta);

}  // namespace rankscope
