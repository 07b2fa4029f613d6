// What differs between two runs, in a sentence: settings, network, result, steps and time; or an edit of a program.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"

namespace rankscope {

/// Returns the settings that differ in few words each, as they are now: "rank 2 slow", "5 ranks", "1 GiB". Empty if none does.
std::vector<std::string> changes_of(const JobSpec& before, const JobSpec& now);

/// The same for two runs, with what was edited in a network's file.
std::vector<std::string> changes_of(const TraceMeta& before, const TraceMeta& now);

/// Returns whether chance decides which run takes longer: neither data nor a slow rank takes time in both, or in the
/// one that is not clearly shorter.
bool has_varying_times(const TraceAnalysis& before, const TraceAnalysis& now);

/// "Rank 2 slow: 264 ms instead of 3.5 ms". Measured times count as about the same unless they differ by half; if
/// has_varying_times(), at most the second is given. Never empty.
std::string difference_in_words(const TraceAnalysis& before, const TraceAnalysis& now);

/// Describes what an edit of a program changed in its run: the first message or value that differs, with its line, then
/// how the runs ended. "Now differs from before in line 14: rank 1 sends 3 instead of 1 to rank 2". `printed` ("prints
/// 10 instead of 8"; may be empty) is used if no message differs. Never empty.
std::string edit_in_words(const TraceAnalysis& before, const TraceAnalysis& now,
                          const std::string& printed);

}  // namespace rankscope
