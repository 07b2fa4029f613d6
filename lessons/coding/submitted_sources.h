// The text of what was handed in, for a trace that shows where in it each rank stood.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// By the names that the trace's call sites have, the most often named first. Only files that lie in the folder
/// itself: no link is followed. What cannot be read is left out.
std::vector<std::pair<std::string, std::string>> submitted_sources(
    const Trace& trace, const std::filesystem::path& submission);

}  // namespace rankscope
