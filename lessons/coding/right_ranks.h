// Which ranks have right results where not all of them have, and what that says of the program.
#pragma once

#include <string>
#include <vector>

#include "lessons/coding/cases.h"

namespace rankscope {

/// Of a run that did not end: the share of the ranks whose results are right; 0 where it is less than half, and in exercises
/// on models.
double share_of_right_ranks(const CodingExercise& exercise, const CodeCase& one,
                            const std::vector<capi::AgentReport>& ranks);

/// CodeFaults::other_collective: one rank alone has the result and sends nothing, as the root of a reduce or a gather. Empty:
/// it is otherwise.
std::string explain_result_on_one(const CodingExercise& exercise, const CodeCase& one,
                                  const std::vector<capi::AgentReport>& ranks);

/// Of an allreduce whose ranks all have one rank's data, in place of a sum that another rank may have had, which had heard from
/// everybody: says so in `out`, and that it is a slip.
void weigh_source(const CodingExercise& exercise, const CodeCase& one,
                  const std::vector<capi::AgentReport>& ranks, const TraceAnalysis& run,
                  CodeFaults& out);

}  // namespace rankscope
