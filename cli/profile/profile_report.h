// Profiles as tables for people.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "engine/run/profile/profile_record.h"

namespace rankscope::cli {

/// One section a number of ranks, one block a size, the fastest marked; ratios to the fastest and to
/// each baseline ("1.80x": so many times the baseline's speed).
std::string profile_table(const std::vector<ProfileRecord>& records, const Style& style);

/// The table of the "Ray AllReduce task", filled from this machine: time and bandwidth by the
/// assignment's accounting and by ours, beside the figures printed there.
std::string assignment_table(const std::vector<ProfileRecord>& records, const Style& style);

/// "2.41x".
std::string format_ratio(double ratio);

}  // namespace rankscope::cli
