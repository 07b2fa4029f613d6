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

/// Returns whether chance decides which takes longer: neither data nor a slow rank take time in both, or in the longer one.
bool has_varying_times(const TraceAnalysis& before, const TraceAnalysis& now);

/// "Rank 2 slow: 264 ms instead of 3.5 ms". Time of processes, measured once, is called about the same unless it differs by half, and is
/// not said where has_varying_times(). Never empty.
std::string difference_in_words(const TraceAnalysis& before, const TraceAnalysis& now);

/// Describes what an edit of a program changed in its run: the first message or value that differs, with its line, then
/// how the runs ended. "Now differs from before in line 14: rank 1 sends 3 instead of 1 to rank 2". `printed`: what differs in what they
/// printed, said where no message does: "prints 10 instead of 8"; may be empty. Never empty.
std::string edit_in_words(const TraceAnalysis& before, const TraceAnalysis& now,
                          const std::string& printed);

}  // namespace rankscope
