// Makes layers and a network from a step's settings, and evaluates the closed form.
#include "gui/state/training/overlap_forecast.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "gui/state/command/arguments.h"

namespace rankscope::gui {
namespace {

using Is = OverlapField::Is;

bool is_bytes(const OverlapField& field) {
  return field.is == Is::bytes || field.is == Is::bytes_per_s;
}

training::NetworkModel network_of(const OverlapValues& values) {
  return {.alpha_us = overlap_value(values, "latency"),
          .bytes_per_s = overlap_value(values, "bandwidth")};
}

int ranks_of(const OverlapValues& values) {
  return static_cast<int>(overlap_value(values, "ranks"));
}

}  // namespace

OverlapValues first_overlap_values() {
  OverlapValues out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = kOverlapFields[i].first;
  return out;
}

std::string overlap_text(const OverlapField& field, double value) {
  switch (field.is) {
    case Is::bytes: return amount_text(static_cast<std::uint64_t>(std::llround(value)));
    case Is::bytes_per_s:
      return amount_text(static_cast<std::uint64_t>(std::llround(value))) + "/s";
    case Is::microseconds: return microseconds_text(value);
    case Is::milliseconds: return microseconds_text(value * 1e3);
    case Is::factor: return "× " + decimal(value, 2);
    case Is::count: break;
  }
  return decimal(value, 0);
}

double overlap_value_of(const OverlapField& field, const std::string& text) {
  const double value = is_bytes(field) ? static_cast<double>(parse_size(text, field.key))
                                       : number_of<double>(text, field.key);
  const bool whole = field.is != Is::count || value == std::floor(value);
  if (value >= field.least && value <= field.most && whole) return value;
  const char* unit = field.is == Is::microseconds   ? " (in microseconds)"
                     : field.is == Is::milliseconds ? " (in milliseconds)"
                                                    : "";
  throw UserError(fmt::format("{} is {} to {}{}, not {}", field.key,
                              overlap_text(field, field.least), overlap_text(field, field.most),
                              unit, text));
}

std::vector<double> slider_steps(const OverlapField& field) {
  std::vector<double> out;
  if (field.is == Is::count) {
    for (double value = field.least; value <= field.most; ++value) out.push_back(value);
  } else if (field.is == Is::factor) {
    for (double value = field.least; value <= field.most; value += 0.25) out.push_back(value);
  } else if (is_bytes(field)) {
    // 1, 1.5, 2, 3, 4, 6, 8 ...
    for (double value = field.least; value < field.most; value *= 2)
      out.insert(out.end(), {value, value * 1.5});
    out.push_back(field.most);
    std::erase_if(out, [&](double value) { return value > field.most; });
  } else {
    for (double power = field.least; power < field.most; power *= 10)
      for (const double digit : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0}) out.push_back(power * digit);
    out.push_back(field.most);
  }
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

int nearest_step(const std::vector<double>& steps, double value) {
  const auto distance = [value](double step) { return std::abs(std::log(step / value)); };
  return static_cast<int>(ranges::min_element(steps, {}, distance) - steps.begin());
}

training::OverlapRun overlap_run_of(const OverlapValues& values) {
  const auto layers = static_cast<std::size_t>(overlap_value(values, "layers"));
  const double growth = overlap_value(values, "growth");
  double all = 0;
  for (std::size_t i = 0; i < layers; ++i) all += std::pow(growth, i);
  training::OverlapRun run;
  for (std::size_t i = 0; i < layers; ++i) {
    const double floats =
        overlap_value(values, "gradient") * std::pow(growth, i) / all / sizeof(float);
    run.stack.push_back(
        {.backward_us = overlap_value(values, "backward") * 1e3 / static_cast<double>(layers),
         .bytes = sizeof(float) *
                  std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(floats)))});
  }
  run.bucket_bytes = static_cast<std::uint64_t>(std::llround(overlap_value(values, "bucket")));
  run.validate();
  return run;
}

std::string layers_text(const training::OverlapRun& run) {
  std::vector<std::string> out;
  for (const training::MadeUpLayer& one : run.stack)
    out.push_back(fmt::format("{:.1f}us:{}", one.backward_us, one.bytes));
  return fmt::format("{}", fmt::join(out, ","));
}

double delay_us_of(const OverlapValues& values) { return overlap_value(values, "latency") / 2; }

double OverlapForecast::best_bucket() const {
  const auto best = std::ranges::min_element(sizes.rbegin(), sizes.rend(), {},
                                             [](const auto& one) { return one.second.total; });
  return best->first;
}

OverlapForecast overlap_forecast(const OverlapValues& values) {
  training::OverlapRun run = overlap_run_of(values);
  const auto network = network_of(values);
  const int ranks = ranks_of(values);
  OverlapForecast out;
  out.apart = training::modelled_step(run, network, ranks, false);
  out.overlapped = training::modelled_step(run, network, ranks, true);
  out.times_apart = overlap_times(out.apart);
  out.times = overlap_times(out.overlapped);
  for (const double size : slider_steps(kOverlapFields[overlap_field("bucket")])) {
    run.bucket_bytes = static_cast<std::uint64_t>(std::llround(size));
    out.sizes.emplace_back(size, overlap_times(training::modelled_step(run, network, ranks, true)));
  }
  return out;
}

}  // namespace rankscope::gui
