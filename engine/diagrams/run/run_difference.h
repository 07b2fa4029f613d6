// What differs between two runs, in a sentence: settings, network, result, steps and time.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"

namespace rankscope {

/// Returns the settings that differ in few words each, as they are now: "rank 2 slow", "5 ranks", "1 GiB". Empty if none does.
std::vector<std::string> changes_of(const JobSpec& before, const JobSpec& now);

/// "Rank 2 slow: 264 ms instead of 3.5 ms, 75 times as long". Time of processes, measured once, is called about the same unless it
/// differs by half, and of runs in which nothing takes time eightfold. Never empty.
std::string difference_in_words(const TraceAnalysis& before, const TraceAnalysis& now);

}  // namespace rankscope
