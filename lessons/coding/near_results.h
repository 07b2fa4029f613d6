// How near wrong results are to the right ones: what one slip leaves counts in part.
#pragma once

#include <string>
#include <vector>

#include "lessons/coding/cases.h"
#include "lessons/grading/run_worth.h"

namespace rankscope {

/// What the ranks' results of a collective, of "hello" or of "pass it on" are worth, from 0 to kOfOneSlip; asked of wrong
/// ones only. Sums are near where most elements are right, or the average, or add some ranks too often or not at all;
/// data that moves, where it is all there in another order or shape, or at most ranks is that of other ranks.
double worth_of_wrong_values(const CodingExercise& exercise, const CodeCase& one,
                             const std::vector<capi::AgentReport>& ranks);

/// Judge::adds: why the results of an allreduce or a reduce-scatter are no sums; empty: they may be.
std::string explain_missing_sums(const CodingExercise& exercise, const CodeCase& one,
                                 const std::vector<capi::AgentReport>& ranks);

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
