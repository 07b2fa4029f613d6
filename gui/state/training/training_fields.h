// The settings of a training, one row each: what they are called in the window, in commands and in `rankscope train`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/base/ranges.h"

namespace rankscope::gui {

struct TrainingField {
  enum class Is : std::uint8_t { text, number, choice, flag };
  std::string_view key;     ///< In commands: "batch".
  std::string_view option;  ///< Of `rankscope train`.
  Is is = Is::text;
  std::string_view first;    ///< Its value at first.
  std::string_view title;    ///< In the window.
  std::string_view help;     ///< A line about it.
  std::string_view choices;  ///< Of a choice: "a|b".
};

inline constexpr std::array kTrainingFields = {
    TrainingField{"np", "--np", TrainingField::Is::text, "1,2,4,8", "workers N",
                  "World sizes, trained one after the other", ""},
    TrainingField{"seeds", "--seeds", TrainingField::Is::number, "1", "seeds",
                  "Runs of each world size, with other initial parameters and batches", ""},
    TrainingField{"data", "--data", TrainingField::Is::text, "", "pictures",
                  "A data set of `rankscope data`, or a folder with its four files", ""},
    TrainingField{
        "share", "--share", TrainingField::Is::choice, "sampled", "each worker's pictures",
        "Drawn from all training pictures, or from a share of its own", "sampled|sharded"},
    TrainingField{"average", "--average", TrainingField::Is::choice, "parameters", "averaged",
                  "Parameters after the step, gradients before it, or with two neighbours only",
                  "parameters|gradients|gossip"},
    TrainingField{"batch", "--batch", TrainingField::Is::number, "32", "batch of a worker",
                  "Pictures a worker and iteration", ""},
    TrainingField{"step", "--step", TrainingField::Is::number, "0.1", "step size", "", ""},
    TrainingField{"scale-step", "--scale-step", TrainingField::Is::flag, "off", "step size times N",
                  "The linear scaling rule: N times the step with N workers", ""},
    TrainingField{"momentum", "--momentum", TrainingField::Is::number, "0", "momentum",
                  "0 to less than 1", ""},
    TrainingField{"goal", "--until", TrainingField::Is::number, "0.97", "goal",
                  "Share of the test pictures to get right", ""},
    TrainingField{"every", "--every", TrainingField::Is::number, "20", "look every",
                  "Iterations from one look at the test pictures to the next", ""},
    TrainingField{"most", "--most", TrainingField::Is::number, "3000", "at most",
                  "Iterations after which a run has not reached the goal", ""}};

/// A value for each field, in their order.
using TrainingValues = std::array<std::string, kTrainingFields.size()>;

constexpr std::size_t training_field(std::string_view key) {
  return static_cast<std::size_t>(ranges::find(kTrainingFields, key, &TrainingField::key) -
                                  kTrainingFields.begin());
}

}  // namespace rankscope::gui
