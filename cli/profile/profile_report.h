// Profiles as tables for people.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "engine/run/profile/profile_record.h"

namespace rankscope::cli {

/// Returns a table with a section for each number of ranks and a block for each size, in which the fastest is marked,
/// with its time over the fastest's, and its speed over that of each baseline ("1.80x").
std::string profile_table(const std::vector<ProfileRecord>& records, const Style& style);

/// Returns the table of the "Ray AllReduce task", filled from this machine: time and bandwidth by the assignment's
/// accounting and by ours, beside the figures printed there.
std::string assignment_table(const std::vector<ProfileRecord>& records, const Style& style);

/// Returns "2.41x".
std::string format_ratio(double ratio);

}  // namespace rankscope::cli
