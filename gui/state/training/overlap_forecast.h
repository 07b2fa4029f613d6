// A training step with and without overlap, forecast by the closed form or measured, and its settings.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/base/ranges.h"
#include "engine/training/job/overlap_run.h"
#include "gui/state/training/training_results.h"

namespace rankscope::gui {

/// A setting with its limits.
struct OverlapField {
  enum class Is : std::uint8_t { count, bytes, bytes_per_s, microseconds, milliseconds, factor };
  std::string_view key;  ///< In commands: "bucket".
  Is is = Is::count;
  double least = 1, most = 1, first = 1;
  std::string_view title, help;
};

inline constexpr double kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;
inline constexpr std::array kOverlapFields = {
    OverlapField{
        "bucket", OverlapField::Is::bytes, kKiB, kMiB, 64 * kKiB, "bucket size",
        "Gradients are averaged as soon as this many bytes are ready; a layer is not divided"},
    OverlapField{"ranks", OverlapField::Is::count, 2, 32, 8, "ranks", "Processes of a real step"},
    OverlapField{
        "latency", OverlapField::Is::microseconds, 1, 10000, 500, "latency",
        "Latency of a message. A real step imitates it by delays before each send and receive"},
    OverlapField{"bandwidth", OverlapField::Is::bytes_per_s, kMiB, 100 * kGiB, kGiB, "bandwidth",
                 "Bandwidth of a link, in one direction. A real step has this computer's"},
    OverlapField{"layers", OverlapField::Is::count, 1, 32, 10, "layers",
                 "The backward pass takes the same time in each of them"},
    OverlapField{"backward", OverlapField::Is::milliseconds, 1, 1000, 40, "backward pass",
                 "Time to compute the gradients of all layers"},
    OverlapField{"gradient", OverlapField::Is::bytes, 4 * kKiB, 64 * kMiB, kMiB, "gradient",
                 "Gradients of all layers together"},
    OverlapField{"growth", OverlapField::Is::factor, 1, 4, 2, "growth by layer",
                 "Each layer has this many times the parameters of the one before; in many "
                 "networks the last layers have most"}};

using OverlapValues = std::array<double, kOverlapFields.size()>;

constexpr std::size_t overlap_field(std::string_view key) {
  return static_cast<std::size_t>(ranges::find(kOverlapFields, key, &OverlapField::key) -
                                  kOverlapFields.begin());
}
constexpr double overlap_value(const OverlapValues& values, std::string_view key) {
  return values[overlap_field(key)];
}
OverlapValues first_overlap_values();

/// "64 KiB", "500 µs", "10".
std::string overlap_text(const OverlapField& field, double value);
/// Parses a typed value: "64KiB", "1GiB", "500". Throws UserError.
double overlap_value_of(const OverlapField& field, const std::string& text);

/// Returns a slider's values, ascending from `least` to `most`: round ones.
std::vector<double> slider_steps(const OverlapField& field);
/// Returns the index of the step nearest to a value by ratio.
int nearest_step(const std::vector<double>& steps, double value);

training::OverlapRun overlap_run_of(const OverlapValues& values);
/// The words for `rankscope overlap --layers`.
std::string layers_text(const training::OverlapRun& run);
/// Returns the delay before each send and each receive: half of the latency.
double delay_us_of(const OverlapValues& values);

/// A rank's step in both forms.
struct OverlapStep {
  RankWork apart, overlapped;
  OverlapTimes times_apart, times;
};

struct OverlapForecast : OverlapStep {
  /// Ascending bucket sizes, and the overlapped step's times with them.
  std::vector<std::pair<double, OverlapTimes>> sizes;
  /// Returns the size of the shortest step; of several the largest, which has the fewest messages.
  double best_bucket() const;
};
OverlapForecast overlap_forecast(const OverlapValues& values);

/// A real step, by the rank that ends last in its trace.
struct MeasuredOverlap : OverlapStep {
  OverlapValues values{};  ///< The settings with which it ran.
  std::string file;        ///< Its trace.
  /// Exposed ns by the closed form, from measured buckets and allreduces, and the most by which the measured ones may differ.
  std::int64_t closed_form = 0, slack = 0;
  bool same_bits = false;  ///< On all ranks, in both forms.
};

struct OverlapState {
  OverlapValues values = first_overlap_values();
  OverlapForecast forecast = overlap_forecast(first_overlap_values());
  std::uint64_t id = 0;                                     ///< Changes with the picture.
  TrainingState::State state = TrainingState::State::none;  ///< The real step's.
  std::string problem;                                      ///< Why it failed.
  std::shared_ptr<const MeasuredOverlap> measured;          ///< The last one; may be null.
  bool shows_measured = false;                              ///< Instead of the closed form.

  const OverlapStep& shown() const noexcept {
    if (shows_measured && measured) return *measured;
    return forecast;
  }
};

}  // namespace rankscope::gui
