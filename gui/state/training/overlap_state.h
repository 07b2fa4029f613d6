// A training step with and without overlap in the application: by the closed form, and as it ran.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gui/state/training/overlap_forecast.h"
#include "gui/state/training/training_state.h"

namespace rankscope::gui {

/// What the trace of a step that ran says of the rank that ends last.
struct MeasuredOverlap : OverlapStep {
  OverlapValues values{};  ///< With which it ran.
  std::string file;        ///< Its trace.
  /// Exposed: by the closed form from when buckets were full and how long allreduces took; and by how much at most
  /// that may differ.
  std::int64_t closed_form = 0, slack = 0;
  bool same_bits = false;  ///< Both forms, all ranks.
};

struct OverlapState {
  OverlapValues values = first_overlap_values();
  OverlapForecast forecast = overlap_forecast(first_overlap_values());
  std::uint64_t id = 0;  ///< Another one for each change of what is shown.
  TrainingState::State state = TrainingState::State::none;  ///< Of the real step.
  std::string problem;                                      ///< Why it failed; empty: it did not.
  std::shared_ptr<const MeasuredOverlap> measured;          ///< The last one; null: none.
  bool shows_measured = false;                              ///< Instead of the closed form.

  const OverlapStep& shown() const noexcept {
    if (shows_measured && measured) return *measured;
    return forecast;
  }
};

}  // namespace rankscope::gui
