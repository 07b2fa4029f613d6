// Measures how near wrong results are to right ones: what one slip leaves counts in part.
#pragma once

#include <string>

#include "lessons/coding/cases.h"
#include "lessons/grading/run_worth.h"

namespace rankscope {

/// Returns what wrong results of a collective, of "hello" or of "pass it on" are worth, from 0 to kOfOneSlip. Sums are near
/// where most elements are right, or the average, or add some ranks too often or not at all; data that moves, where it is
/// all there in another order or shape, or at most ranks is that of other ranks.
double worth_of_wrong_values(const CaseReports& in);

/// Judge::adds: why the results of an allreduce or a reduce-scatter are no sums; empty if they may be.
std::string explain_missing_sums(const CaseReports& in);

/// Returns the share of the ranks that handed in right results before their run broke off; 0 if it is less than half, and
/// in exercises on models.
double share_of_right_ranks(const CaseReports& in);

/// CodeFaults::other_collective: names the reduce or gather whose root alone has the result and sends nothing, or the
/// reduce-scatter after which each rank of an allreduce has the sum of one chunk. Empty if it is neither.
std::string explain_other_collective(const CaseReports& in);

/// Notes in `out` as a slip that all ranks of an allreduce hold one rank's data although another rank has heard from all,
/// and so could have had the sum.
void weigh_source(const CaseReports& in, const TraceAnalysis& run, CodeFaults& out);

}  // namespace rankscope
