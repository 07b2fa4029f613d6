// Judges what the ranks of a case handed in.
#pragma once

#include <string>
#include <vector>

#include "lessons/coding/cases.h"

namespace rankscope {

/// Returns a rank's right result of a collective.
std::vector<double> expected_values(const CodeCase& one, Rank rank);
/// Returns what is wrong with the ranks' results; all empty if they are right.
CodeFaults judge_results(const CaseReports& in);
/// Says what happened to the data in a telling run of a collective. Empty if all is right.
std::string explain_results(const CaseReports& in);
/// The array that is to hold a rank's result; null if it handed in none.
const capi::TaskResult* result_of(const CodingExercise& exercise, const capi::AgentReport& rank);
/// Each rank's result of a collective; without values where it handed in no numbers.
std::vector<RankResult> rank_results(const CodingExercise& exercise,
                                     const std::vector<capi::AgentReport>& ranks);

}  // namespace rankscope
