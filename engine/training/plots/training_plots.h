// Plots of training runs.
#pragma once

#include <span>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/training/job/speedup.h"

namespace rankscope::cli {

/// Loss of rank 0's batches over iterations, one line a world size (of the first seed).
Scene loss_plot(std::span<const training::FinishedRun> runs, const Ruler& ruler);
/// Share of the test pictures that are right, with a line at `accuracy`.
Scene accuracy_plot(std::span<const training::FinishedRun> runs, double accuracy,
                    const Ruler& ruler);
/// k*(1)/k*(N) over N with the spread of seeds, beside the linear one.
Scene speedup_plot(std::span<const training::SpeedupRow> rows, double accuracy, const Ruler& ruler);

}  // namespace rankscope::cli
