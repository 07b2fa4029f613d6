// How near wrong results are to the right ones: what one slip leaves counts in part.
#pragma once

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

}  // namespace rankscope
