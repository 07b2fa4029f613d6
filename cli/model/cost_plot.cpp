// Computes the points of a sweep and chooses what its plot shows.
#include "cli/model/cost_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/model/cost_options.h"
#include "cli/sizes.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/plot/line_plot.h"
#include "engine/model/costs/cost_table.h"

namespace rankscope::cli {
namespace {

double time_of(const Algorithm& algorithm, const CostSetting& at) {
  return time(cost_of(algorithm, at.in, at.link), at.link);
}

std::string seconds_tick(double seconds) {
  const Unit unit = Unit::of_time(std::llround(seconds * 1e9 * 1.001));
  return fmt::format("{} {}", decimal(seconds * 1e9 / unit.size, 2), unit.name);
}

std::string axis_title(CostAxis axis) {
  switch (axis) {
    case CostAxis::bytes: return "bytes of a rank";
    case CostAxis::ranks: return "ranks";
    case CostAxis::alpha: return "latency of a message";
    case CostAxis::bandwidth: break;
  }
  return "bandwidth of a port";
}

std::string axis_tick(CostAxis axis, double value) {
  if (axis == CostAxis::ranks) return fmt::format("{:.0f}", value);
  return axis == CostAxis::alpha ? seconds_tick(value) : axis_value_text(axis, value);
}

/// All of one collective: its name once, in the title.
bool one_collective(const CostSweep& sweep) {
  return ranges::all_of(sweep.algorithms, [&](const Algorithm* one) {
    return to_string(one->collective) == to_string(sweep.algorithms.front()->collective);
  });
}

bool equal_times(const std::vector<double>& a, const std::vector<double>& b) {
  return ranges::equal(a, b,
                       [](double x, double y) { return std::abs(x - y) <= 1e-9 * std::max(x, y); });
}

}  // namespace

bool fill_sweep(CostSweep& sweep,
                const std::function<bool(std::size_t done, std::size_t all)>& stopped) {
  const std::size_t all = sweep.values.size() * sweep.algorithms.size();
  sweep.times.assign(sweep.algorithms.size(), {});
  std::size_t done = 0;
  for (const double value : sweep.values) {
    const CostSetting at = with_value(sweep.setting, sweep.axis, value);
    for (std::size_t k = 0; k < sweep.algorithms.size(); ++k) {
      if (stopped(done++, all)) return false;
      sweep.times[k].push_back(time_of(*sweep.algorithms[k], at));
    }
    if (one_collective(sweep))
      sweep.bounds.push_back(bound_times(sweep.algorithms.front()->collective, at).largest());
  }
  sweep.fastest =
      fastest_ranges(sweep.algorithms, sweep.setting, sweep.axis, sweep.values, sweep.times);
  return true;
}

bool is_quick(const CostSweep& sweep) {
  constexpr std::int64_t kMessages = 20'000;
  return ranges::all_of(sweep.algorithms, [&](const Algorithm* one) {
    return ranges::all_of(sweep.values, [&](double value) {
      const CostSetting at = with_value(sweep.setting, sweep.axis, value);
      return at.in.n * one->rounds(at.in) <= kMessages;
    });
  });
}

PlotSize parse_plot_size(std::string_view text) {
  const auto parts = split(text, 'x');
  if (parts.size() != 2)
    throw UserError(fmt::format("--size: '{}' is not WIDTHxHEIGHT, such as 760x440", text));
  return {static_cast<double>(parse_integer(parts[0], "--size", 320, 4000)),
          static_cast<double>(parse_integer(parts[1], "--size", 240, 4000))};
}

Scene cost_plot(const CostSweep& sweep, const PlotSize& size, const Ruler& ruler) {
  const bool single = one_collective(sweep);
  const auto name = [&](std::size_t k) {
    const Algorithm& one = *sweep.algorithms[k];
    return std::string(single ? one.short_name() : one.name);
  };
  const std::string what =
      single ? std::string(to_string(sweep.algorithms.front()->collective)) : "Collectives";
  LinePlot plot{
      .title = fmt::format("{}: predicted time", what),
      .caption = setting_text(sweep.setting, &sweep.axis),
      .x_title = axis_title(sweep.axis),
      .y_title = "time of the slowest rank",
      .lines = {},
      .y_from_zero = false,
      .x_scale = {.base = sweep.axis == CostAxis::bytes || sweep.axis == CostAxis::ranks ? 2 : 10,
                  .text = [axis = sweep.axis](double value) { return axis_tick(axis, value); }},
      .y_scale = {.base = 10, .text = seconds_tick},
      .width = size.width,
      .height = size.height};
  const auto points = [&](const std::vector<double>& times) {
    std::vector<Point> out;
    for (std::size_t i = 0; i < times.size(); ++i)
      if (times[i] > 0) out.push_back({sweep.values[i], times[i]});
    return out;
  };
  std::vector<std::size_t> line_of(sweep.algorithms.size());
  int colors = 0;
  if (!sweep.bounds.empty())
    plot.lines.push_back(
        {.name = "lower bound", .points = points(sweep.bounds), .reference = true});
  // Between two numbers of ranks is nothing.
  constexpr std::size_t kMostDots = 40;
  const bool dots = sweep.axis == CostAxis::ranks && sweep.values.size() <= kMostDots;
  for (std::size_t k = 0; k < sweep.algorithms.size(); ++k) {
    const auto same = ranges::find_if(sweep.times, [&](const std::vector<double>& other) {
      return equal_times(other, sweep.times[k]);
    });
    if (const auto first = static_cast<std::size_t>(same - sweep.times.begin()); first < k) {
      line_of[k] = line_of[first];
      plot.lines[line_of[k]].name += " = " + name(k);
      continue;
    }
    line_of[k] = plot.lines.size();
    plot.lines.push_back(
        {.name = name(k), .points = points(sweep.times[k]), .color = colors++, .marks = dots});
  }
  for (std::size_t i = 1; i < sweep.fastest.size(); ++i) {
    const FastestRange& range = sweep.fastest[i];
    const double time = time_of(*sweep.algorithms[range.algorithm],
                                with_value(sweep.setting, sweep.axis, range.from));
    plot.marks.push_back({{range.from, time},
                          sweep.axis == CostAxis::ranks ? axis_tick(sweep.axis, range.from)
                                                        : axis_value_text(sweep.axis, range.from)});
  }
  return line_plot(plot, ruler);
}

}  // namespace rankscope::cli
