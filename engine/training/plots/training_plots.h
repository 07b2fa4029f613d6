// Plots of training runs, as scenes: loss, accuracy, speedup.
#pragma once

#include <span>

#include "engine/diagrams/plot/line_plot.h"
#include "engine/training/job/speedup.h"

namespace rankscope::training {

/// Size of a plot, and whether it has a caption, for which a small one has no room.
struct PlotFrame {
  double width = LinePlot{}.width, height = LinePlot{}.height;
  double margin = LinePlot{}.margin;
  bool captioned = true;
};

/// Plots the loss of rank 0's batches over iterations, one line per world size (the first of its runs).
Scene loss_plot(std::span<const FinishedRun> runs, const Ruler& ruler, const PlotFrame& frame = {});
/// Plots the share of test pictures recognised over iterations, with a line at `accuracy` (0: none).
Scene accuracy_plot(std::span<const FinishedRun> runs, double accuracy, const Ruler& ruler,
                    const PlotFrame& frame = {});
/// Plots k*(1)/k*(N) over N, with the spread of seeds, beside linear speedup.
Scene speedup_plot(std::span<const SpeedupRow> rows, double accuracy, const Ruler& ruler,
                   const PlotFrame& frame = {});

}  // namespace rankscope::training
