// Chooses what is drawn of training runs.
#include "cli/train/train_plots.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/diagrams/plot/line_plot.h"

namespace rankscope::cli {
namespace {

using training::FinishedRun;
using training::TrainingMoment;

/// One line a world size: the run with its smallest seed.
std::vector<PlotLine> lines_of(std::span<const FinishedRun> runs,
                               double (*value)(const TrainingMoment&)) {
  std::vector<PlotLine> lines;
  for (const FinishedRun& run : runs) {
    const std::string name = fmt::format("N = {}", run.ranks);
    if (std::ranges::find(lines, name, &PlotLine::name) != lines.end()) continue;
    PlotLine line{.name = name, .points = {}, .color = static_cast<int>(lines.size())};
    for (const TrainingMoment& one : run.log)
      line.points.push_back({double(one.iteration), value(one)});
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

Scene loss_plot(std::span<const FinishedRun> runs, const Ruler& ruler) {
  return line_plot(
      {.title = "Training loss",
       .caption =
           "Cross-entropy of rank 0's batches since the last look at the test pictures; first seed",
       .x_title = "iteration",
       .y_title = "loss",
       .lines = lines_of(runs, [](const TrainingMoment& one) { return one.loss; })},
      ruler);
}

Scene accuracy_plot(std::span<const FinishedRun> runs, double accuracy, const Ruler& ruler) {
  auto lines = lines_of(runs, [](const TrainingMoment& one) { return one.accuracy(); });
  double last = 0;
  for (const PlotLine& line : lines)
    if (!line.points.empty()) last = std::max(last, line.points.back().x);
  lines.push_back({.name = fmt::format("{:.4g} %", 100 * accuracy),
                   .points = {{0, accuracy}, {last, accuracy}},
                   .reference = true});
  return line_plot({.title = "Accuracy on the test pictures",
                    .caption = "First seed of each number of workers N",
                    .x_title = "iteration",
                    .y_title = "right",
                    .lines = std::move(lines),
                    // The way to the goal, not the first climb, is what differs between worlds.
                    .y_floor = std::max(0.0, 1 - 6 * (1 - accuracy)),
                    .percent = true},
                   ruler);
}

Scene speedup_plot(std::span<const training::SpeedupRow> rows, double accuracy,
                   const Ruler& ruler) {
  PlotLine measured{.name = "measured", .points = {}, .marks = true},
      linear{.name = "linear", .points = {}, .reference = true};
  for (const training::SpeedupRow& row : rows) {
    linear.points.push_back({double(row.ranks), double(row.ranks)});
    if (row.speedup.count == 0) continue;
    measured.points.push_back({double(row.ranks), row.speedup.mean});
    measured.spread.emplace_back(row.speedup.least, row.speedup.most);
  }
  return line_plot(
      {.title = "Speedup k*(1)/k*(N)",
       .caption = fmt::format(
           "k*(N): iterations until {:.4g} % of the test pictures are right; bars from the "
           "least to the most of the seeds",
           100 * accuracy),
       .x_title = "workers N",
       .y_title = "speedup",
       .lines = {std::move(linear), std::move(measured)},
       .whole_x = true},
      ruler);
}

}  // namespace rankscope::cli
