// Computes, prints and draws steps of the closed form.
#include "cli/train/overlap_forecast.h"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/sizes.h"
#include "cli/terminal/table.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/quantity.h"

namespace rankscope::cli {
namespace {

std::string figures_text(const RankWork& work) {
  const OverlapTimes times = overlap_times(work);
  return fmt::format("{}: exposed {}", time_text(times.total), time_text(times.exposed));
}

}  // namespace

double parse_time_us(std::string_view text, std::string_view what) {
  double value = 0;
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (error == std::errc() && value >= 0 && value < 1e9) {
    if (unit == "us") return value;
    if (unit == "ms") return value * 1e3;
    if (unit == "s") return value * 1e6;
  }
  throw UserError(
      fmt::format("{}: '{}' is not a time: write it as 500us, 5ms or 0.1s", what, text));
}

training::NetworkModel parse_network(std::string_view text) {
  const auto parts = split(text, ',');
  if (parts.size() != 2)
    throw UserError(fmt::format(
        "--model: '{}' is not LATENCY,BANDWIDTH, such as 100us,1GiB for 1 GiB per second", text));
  return {.alpha_us = parse_time_us(parts[0], "--model"),
          .bytes_per_s = static_cast<double>(parse_size(parts[1], "--model"))};
}

std::vector<Forecast> forecasts(const std::vector<training::OverlapRun>& runs,
                                const training::NetworkModel& network, int ranks) {
  std::vector<Forecast> out;
  for (const training::OverlapRun& run : runs)
    out.push_back({run, training::modelled_step(run, network, ranks, false),
                   training::modelled_step(run, network, ranks, true)});
  return out;
}

std::string forecast_text(const std::vector<Forecast>& all, const Style& style) {
  Table table({{"bucket size"},
               {"buckets"},
               {"apart"},
               {"overlapped"},
               {"saved"},
               {"computing"},
               {"allreduce"},
               {"hidden"},
               {"exposed"}});
  for (const Forecast& one : all) {
    const OverlapTimes with = overlap_times(one.overlapped);
    const std::int64_t apart = one.apart.time.length();
    table.add_row(
        {amount_text(one.run.bucket_bytes), fmt::format("{}", one.overlapped.communicating.size()),
         time_text(apart), time_text(with.total),
         fmt::format("{:.0f} %", apart == 0 ? 0 : 100 - 100.0 * double(with.total) / double(apart)),
         time_text(with.computing), time_text(with.communicating), time_text(with.hidden),
         time_text(with.exposed)});
  }
  return table.to_string(style);
}

std::string forecast_json(const std::vector<Forecast>& all) {
  auto sizes = nlohmann::json::array();
  for (const Forecast& one : all) {
    const OverlapTimes with = overlap_times(one.overlapped);
    sizes.push_back({{"bucket_bytes", one.run.bucket_bytes},
                     {"buckets", one.overlapped.communicating.size()},
                     {"step_apart_ns", one.apart.time.length()},
                     {"step_overlapped_ns", with.total},
                     {"computing_ns", with.computing},
                     {"communicating_ns", with.communicating},
                     {"hidden_ns", with.hidden},
                     {"exposed_ns", with.exposed}});
  }
  return dump_json(nlohmann::json{{"model", std::move(sizes)}}, 2) + "\n";
}

OverlapTimeline forecast_picture(const std::vector<Forecast>& all, int ranks) {
  OverlapTimeline out{
      .title = fmt::format("A training step on {}, by the closed form",
                           counted(static_cast<std::uint64_t>(ranks), "rank")),
      .caption = "Above: what a rank computes; below: the allreduces of its buckets, one at a time",
      .panels = {}};
  for (const Forecast& one : all) {
    const std::string size = amount_text(one.run.bucket_bytes);
    if (out.panels.empty())
      out.panels.push_back(
          {.title = fmt::format("Averaged after the backward pass, buckets of {}", size),
           .figures = figures_text(one.apart),
           .ranks = {one.apart}});
    out.panels.push_back({.title = fmt::format("Averaged while it goes on, buckets of {}", size),
                          .figures = figures_text(one.overlapped),
                          .ranks = {one.overlapped}});
  }
  return out;
}

}  // namespace rankscope::cli
