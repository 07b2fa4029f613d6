// The history of speed as a picture: a row for each goal.
#pragma once

#include <vector>

#include "cli/profile/bench_history.h"
#include "engine/diagrams/scene/ruler.h"

namespace rankscope::cli {

/// The newest release's machine: a row for each goal, best first, on one logarithmic axis with a line at 1, what is
/// promised. The newest release's figure is a disc, or a ring where the goal is missed; earlier ones are ticks. `releases`
/// are from old to new, with a figure at least.
Scene history_plot(const std::vector<BenchRelease>& releases, const Ruler& ruler);

}  // namespace rankscope::cli
