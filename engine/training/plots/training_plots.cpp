// Makes line plots from the logs of training runs.
#include "engine/training/plots/training_plots.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"

namespace rankscope::training {
namespace {

/// Once a run is above this accuracy, the plot starts here.
constexpr double kShownFrom = 0.85;

/// Returns one line per world size, of the first of its runs.
std::vector<PlotLine> lines_of(std::span<const FinishedRun> runs,
                               double (*value)(const TrainingMoment&)) {
  std::vector<PlotLine> lines;
  for (const FinishedRun& run : runs) {
    const std::string name = fmt::format("N = {}", run.ranks);
    if (ranges::find(lines, name, &PlotLine::name) != lines.end()) continue;
    PlotLine line{.name = name, .points = {}, .color = static_cast<int>(lines.size())};
    for (const TrainingMoment& one : run.log)
      line.points.push_back({double(one.iteration), value(one)});
    lines.push_back(std::move(line));
  }
  return lines;
}

Scene framed(LinePlot plot, const Ruler& ruler, const PlotFrame& frame) {
  plot.width = frame.width;
  plot.height = frame.height;
  plot.margin = frame.margin;
  if (!frame.captioned) plot.caption.clear();
  return line_plot(plot, ruler);
}

}  // namespace

Scene loss_plot(std::span<const FinishedRun> runs, const Ruler& ruler, const PlotFrame& frame) {
  return framed({.title = "Training loss",
                 .caption = "Cross-entropy of rank 0's batches, first seed",
                 .x_title = "iteration",
                 .y_title = "loss",
                 .lines = lines_of(runs, [](const TrainingMoment& one) { return one.loss; })},
                ruler, frame);
}

Scene accuracy_plot(std::span<const FinishedRun> runs, double accuracy, const Ruler& ruler,
                    const PlotFrame& frame) {
  auto lines = lines_of(runs, [](const TrainingMoment& one) { return one.accuracy(); });
  double last = 0, best = 0;
  for (const PlotLine& line : lines) {
    if (!line.points.empty()) last = std::max(last, line.points.back().x);
    for (const Point& point : line.points) best = std::max(best, point.y);
  }
  // The differences that matter are near the goal; with the steep first iterations they would look flat.
  const double from = accuracy > kShownFrom && best > kShownFrom ? kShownFrom : 0;
  for (PlotLine& line : lines)
    std::erase_if(line.points, [&](const Point& point) { return point.y < from; });
  if (accuracy > 0)
    lines.push_back({.name = fmt::format("{:.4g} %", 100 * accuracy),
                     .points = {{0, accuracy}, {last, accuracy}},
                     .reference = true});
  return framed(
      {.title = "Accuracy on the test pictures",
       .caption = from > 0 ? fmt::format("First seed of each number of workers N; from {:.0f} % on",
                                         100 * from)
                           : "First seed of each number of workers N",
       .x_title = "iteration",
       .y_title = "right",
       .lines = std::move(lines),
       .y_from_zero = from == 0,
       .percent = true},
      ruler, frame);
}

Scene speedup_plot(std::span<const SpeedupRow> rows, double accuracy, const Ruler& ruler,
                   const PlotFrame& frame) {
  PlotLine measured{.name = "measured", .points = {}, .marks = true},
      linear{.name = "linear", .points = {}, .reference = true};
  for (const SpeedupRow& row : rows) {
    linear.points.push_back({double(row.ranks), double(row.ranks)});
    if (row.speedup.count == 0) continue;
    measured.points.push_back({double(row.ranks), row.speedup.mean});
    measured.spread.emplace_back(row.speedup.least, row.speedup.most);
  }
  return framed(
      {.title = "Speedup k*(1)/k*(N)",
       .caption = fmt::format(
           "k*(N): iterations until {:.4g} % of the test pictures are right; bars from the "
           "least to the most of the seeds",
           100 * accuracy),
       .x_title = "workers N",
       .y_title = "speedup",
       .lines = {std::move(linear), std::move(measured)},
       .whole_x = true},
      ruler, frame);
}

}  // namespace rankscope::training
