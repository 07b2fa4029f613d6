// Plots of training runs, as scenes: loss, accuracy, speedup.
#pragma once

#include <span>

#include "engine/diagrams/plot/line_plot.h"
#include "engine/training/job/speedup.h"

namespace rankscope::training {

/// Size of a plot, and whether its caption is written: a small one has no room for it.
struct PlotFrame {
  double width = LinePlot{}.width, height = LinePlot{}.height;
  double margin = LinePlot{}.margin;
  bool captioned = true;
};

/// Loss of rank 0's batches over iterations, one line a world size (the first of its runs).
Scene loss_plot(std::span<const FinishedRun> runs, const Ruler& ruler, const PlotFrame& frame = {});
/// Share of the test pictures that are right, with a line at `accuracy`; 0: without it.
Scene accuracy_plot(std::span<const FinishedRun> runs, double accuracy, const Ruler& ruler,
                    const PlotFrame& frame = {});
/// k*(1)/k*(N) over N with the spread of seeds, beside the linear one.
Scene speedup_plot(std::span<const SpeedupRow> rows, double accuracy, const Ruler& ruler,
                   const PlotFrame& frame = {});

}  // namespace rankscope::training
