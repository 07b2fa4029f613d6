// What `rankscope overlap` prints and draws of its traces.
#pragma once

#include <span>
#include <string>

#include "cli/terminal/console.h"
#include "engine/core/trace/trace.h"
#include "engine/diagrams/overlap/overlap_timeline.h"
#include "engine/training/job/overlap_run.h"

namespace rankscope::cli {

/// A row for each bucket size; `per_rank`: and a table of the ranks below.
std::string overlap_text(std::span<const training::OverlapMeasured> all, bool per_rank,
                         const Style& style);
std::string overlap_json(std::span<const training::OverlapMeasured> all);
/// Both forms of the step of one trace, below each other.
OverlapTimeline overlap_picture(const Trace& trace, const training::OverlapMeasured& measured);

}  // namespace rankscope::cli
