// `rankscope sweep`: how predicted times change over size, ranks, latency or bandwidth, as a table or a plot.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/model/cost_options.h"
#include "cli/sizes.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "cli/train/pipeline_picture.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/plot/line_plot.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/diagrams/scene/theme.h"
#include "engine/model/costs/cost_table.h"
#include "engine/model/costs/crossover.h"

namespace rankscope::cli {
namespace {

struct CostSweep {
  CostSetting setting;
  CostAxis axis = CostAxis::bytes;
  std::vector<const Algorithm*> algorithms;
  std::vector<double> values{};              ///< Values of the axis, ascending.
  std::vector<std::vector<double>> times{};  ///< Seconds, by algorithm and value.
  std::vector<double>
      bounds{};  ///< Seconds, by value; empty where the algorithms have different bounds.
  std::vector<FastestRange> fastest{};
};

struct PlotSize {
  double width = 760, height = 440;
};

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

/// Returns whether all algorithms are of one collective, whose name then stands in the title only.
bool one_collective(const CostSweep& sweep) {
  return ranges::all_of(sweep.algorithms, [&](const Algorithm* one) {
    return to_string(one->collective) == to_string(sweep.algorithms.front()->collective);
  });
}

bool equal_times(const std::vector<double>& a, const std::vector<double>& b) {
  return ranges::equal(a, b,
                       [](double x, double y) { return std::abs(x - y) <= 1e-9 * std::max(x, y); });
}

/// Calls `stopped` before each point, and returns false once it returns true. Throws what cost_of() throws.
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

/// Returns whether points take so little time that a plot may have many.
bool is_quick(const CostSweep& sweep) {
  constexpr std::int64_t kMessages = 20'000;
  return ranges::all_of(sweep.algorithms, [&](const Algorithm* one) {
    return ranges::all_of(sweep.values, [&](double value) {
      const CostSetting at = with_value(sweep.setting, sweep.axis, value);
      return at.in.n * one->rounds(at.in) <= kMessages;
    });
  });
}

/// Reads "760x440", from 320x240 to 4000x4000. Throws UserError.
PlotSize parse_plot_size(std::string_view text) {
  const auto parts = split_at(text, "x");
  if (parts.size() != 2)
    throw UserError(fmt::format("--size: '{}' is not WIDTHxHEIGHT, such as 760x440", text));
  return {static_cast<double>(parse_integer(parts[0], "--size", 320, 4000)),
          static_cast<double>(parse_integer(parts[1], "--size", 240, 4000))};
}

/// Draws curves on logarithmic axes, with a mark wherever another algorithm becomes the fastest. Algorithms with the
/// same times share a line.
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
  // Between two numbers of ranks there is nothing, so each is a dot.
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

struct SweepOptions : CostOptions {
  std::string over = "bytes", range, csv, svg, pdf, png, theme = "light", size = "760x440";
  int per_doubling = 1;

  OptionList app;
};

struct AxisName {
  CostAxis axis;
  std::string_view name, column;
};
constexpr std::array kAxes{AxisName{CostAxis::bytes, "bytes", "bytes"},
                           AxisName{CostAxis::ranks, "ranks", "ranks"},
                           AxisName{CostAxis::alpha, "alpha", "alpha_s"},
                           AxisName{CostAxis::bandwidth, "bandwidth", "bandwidth_bytes_per_s"}};

const AxisName& axis_named(std::string_view name) {
  const auto* found = ranges::find(kAxes, name, &AxisName::name);
  if (found == kAxes.end())
    throw UserError(fmt::format("--over is bytes, ranks, alpha or bandwidth, not '{}'", name));
  return *found;
}

double axis_value(CostAxis axis, std::string_view text) {
  switch (axis) {
    case CostAxis::bytes: return static_cast<double>(parse_size(text, "FROM..TO"));
    case CostAxis::ranks: return static_cast<double>(parse_integer(text, "FROM..TO", 1, 1 << 20));
    case CostAxis::alpha: return parse_seconds(text, "FROM..TO");
    case CostAxis::bandwidth: break;
  }
  return parse_bandwidth(text, "FROM..TO");
}

std::vector<double> values_of(const SweepOptions& o, const CostSetting& setting, CostAxis axis) {
  const auto dots = o.range.find("..");
  if (dots == std::string::npos)
    throw UserError(
        fmt::format("'{}' is no range: write FROM..TO, such as 1KiB..64MiB or 2..64", o.range));
  if (o.per_doubling < 1 || o.per_doubling > 64) throw UserError("--per-doubling is 1 to 64");
  return axis_values(setting, axis, axis_value(axis, std::string_view(o.range).substr(0, dots)),
                     axis_value(axis, std::string_view(o.range).substr(dots + 2)), o.per_doubling);
}

std::string csv_of(const CostSweep& sweep, std::string_view column) {
  std::string text(column);
  for (const Algorithm* one : sweep.algorithms) text += fmt::format(",{}", one->name);
  if (!sweep.bounds.empty()) text += ",lower_bound";
  text += "\n";
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    text += fmt::format("{}", sweep.values[i]);
    for (const auto& times : sweep.times) text += fmt::format(",{}", times[i]);
    if (!sweep.bounds.empty()) text += fmt::format(",{}", sweep.bounds[i]);
    text += "\n";
  }
  return text;
}

std::string json_of(const CostSweep& sweep, const AxisName& axis) {
  nlohmann::ordered_json json;
  json["over"] = axis.name;
  json["ranks"] = sweep.setting.in.n;
  json["bytes"] =
      sweep.setting.in.shape.count() * static_cast<Count>(dtype_size(sweep.setting.in.dtype));
  json["alpha_s"] = sweep.setting.link.alpha;
  json["beta_s"] = sweep.setting.link.beta;
  json["gamma_s"] = sweep.setting.link.gamma;
  json.erase(std::string(axis.name == "bandwidth" ? "beta_s" : axis.column));
  json[std::string(axis.column)] = sweep.values;
  for (std::size_t k = 0; k < sweep.algorithms.size(); ++k)
    json["times_s"][std::string(sweep.algorithms[k]->name)] = sweep.times[k];
  if (!sweep.bounds.empty()) json["lower_bound_s"] = sweep.bounds;
  json["fastest"] = nlohmann::ordered_json::array();
  for (const FastestRange& range : sweep.fastest)
    json["fastest"].push_back({{"algorithm", sweep.algorithms[range.algorithm]->name},
                               {"from", range.from},
                               {"to", range.to}});
  return json.dump(2) + "\n";
}

std::string table_of(const CostSweep& sweep, const AxisName& axis, const Style& style) {
  std::vector<Table::Column> columns{{std::string(axis.name)}};
  for (const Algorithm* one : sweep.algorithms) columns.push_back({std::string(one->name)});
  if (!sweep.bounds.empty()) columns.push_back({"lower bound"});
  Table table(columns);
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    std::vector<std::string> cells{axis_value_text(axis.axis, sweep.values[i])};
    double least = INFINITY;
    for (const auto& times : sweep.times) least = std::min(least, times[i]);
    for (const auto& times : sweep.times) {
      const bool best = sweep.algorithms.size() > 1 && times[i] <= least * (1 + 1e-12);
      const std::string text = format_seconds(times[i]) + (best                          ? " *"
                                                           : sweep.algorithms.size() > 1 ? "  "
                                                                                         : "");
      cells.push_back(best ? style.bold(text) : text);
    }
    if (!sweep.bounds.empty()) cells.push_back(format_seconds(sweep.bounds[i]));
    table.add_row(std::move(cells));
  }
  std::string text = setting_text(sweep.setting, &axis.axis) + "\n\n" + table.to_string(style);
  if (const std::string words = fastest_text(sweep.fastest, sweep.algorithms, axis.axis);
      !words.empty())
    text += fmt::format("\n* the fastest. {}.\n", words);
  return text;
}

/// Curves need more points than a table has rows.
void smooth(CostSweep& sweep, const SweepOptions& o) {
  constexpr int kPerDoubling = 8;
  if (sweep.axis == CostAxis::ranks || o.per_doubling >= kPerDoubling || !is_quick(sweep)) return;
  sweep.values = axis_values(sweep.setting, sweep.axis, sweep.values.front(), sweep.values.back(),
                             kPerDoubling);
  sweep.bounds.clear();
  fill_sweep(sweep, [](std::size_t, std::size_t) { return false; });
}

int run_sweep(const Console& console, const SweepOptions& o) {
  const AxisName& axis = axis_named(o.over);
  CostSweep sweep{.setting = o.setting(), .axis = axis.axis, .algorithms = o.chosen()};
  const PlotSize size = parse_plot_size(o.size);
  (void)theme_named(o.theme);
  if (o.app.count("--csv") > 0) need_file_name(o.csv);
  std::vector<std::string> pictures;
  for (const auto& [option, file] :
       {std::pair{"--svg", &o.svg}, {"--pdf", &o.pdf}, {"--png", &o.png}})
    if (o.app.count(option) > 0) {
      need_file_name(*file);
      if (!file->ends_with(option + 2))
        throw UserError(fmt::format("{}: the name of the file ends in .{}, unlike '{}'", option,
                                    option + 2, *file));
      pictures.push_back(*file);
    }
  sweep.values = values_of(o, sweep.setting, axis.axis);
  if (axis.axis == CostAxis::ranks && sweep.setting.in.root >= sweep.values.front())
    throw UserError("--root is a rank of the smallest number of ranks");
  Interrupt interrupt;
  ProgressLine line(console);
  if (!fill_sweep(sweep, [&](std::size_t done, std::size_t all) {
        line.show(fmt::format("{} of {} points", done, all));
        return interrupt.happened();
      })) {
    line.clear();
    console.note("interrupted");
    return kInterrupted;
  }
  line.clear();
  CostSweep drawn = sweep;
  if (!o.csv.empty()) write_whole(o.csv, csv_of(sweep, axis.column));
  if (!pictures.empty()) smooth(drawn, o);
  for (const std::string& file : pictures) {
    write_picture(cost_plot(drawn, size, system_ruler()), file, o.theme);
    console.note("wrote " + file);
  }
  if (console.json()) console.print_raw(json_of(sweep, axis));
  else console.print(table_of(sweep, axis, console.out()));
  return kOk;
}

Action define_sweep(OptionList app) {
  const auto o = std::make_shared<SweepOptions>();
  o->app = app;
  app.add_option("range", "FROM..TO", o->range,
                 "Range of the axis: 1KiB..64MiB, 2..64, 1us..50us, 1GB/s..100GB/s")
      .required();
  app.add_option("algorithm", "ALGORITHM", o->algorithms,
                 "Algorithms, or a collective for all its algorithms")
      .required()
      .expected(1, 100);
  const OptionList axis = app.in_group("The axis");
  axis.add_with_default("--over", "bytes|ranks|alpha|bandwidth", o->over, "What changes");
  axis.add_with_default("--per-doubling", "COUNT", o->per_doubling,
                        "Values for each factor of two");
  o->add_to(app);
  const OptionList results = app.in_group("Results");
  results.add_option("--csv", "FILE.csv", o->csv, "Write the table, times in seconds");
  results.add_option("--svg", "FILE.svg", o->svg, "Plot it");
  results.add_option("--pdf", "FILE.pdf", o->pdf, "Plot it");
  results.add_option("--png", "FILE.png", o->png, "Plot it");
  results.add_with_default("--size", "WIDTHxHEIGHT", o->size, "Size of the plot, in pixels");
  results.add_with_default("--theme", "light|dark|print", o->theme, "Colours of the plot");
  return [o](const Console& console) { return run_sweep(console, *o); };
}

}  // namespace

constinit const CommandEntry kSweepCommand{
    .name = "sweep",
    .group = kMeasuring,
    .summary = "predict times over size, ranks, latency or bandwidth, and plot them",
    .details =
        "The times of `rankscope predict` for each value of an axis, with a star at the fastest, "
        "and where another algorithm becomes the fastest: solved where times are sums, otherwise "
        "found between two values. Plots have logarithmic axes and a ring at each such place.",
    .examples =
        "rankscope sweep 1KiB..64MiB allreduce.bde allreduce.ring --ranks 16  # over bytes\n"
        "rankscope sweep --over ranks 2..256 allreduce.bde allreduce.ring --per-doubling 4  # "
        "also odd ones\n"
        "rankscope sweep --over alpha 100ns..100us allreduce --svg alpha.svg  # a plot\n"
        "rankscope sweep --over bandwidth 1GB/s..100GB/s broadcast --csv broadcast.csv  # for "
        "another one",
    .define = define_sweep,
};

}  // namespace rankscope::cli
