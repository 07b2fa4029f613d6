// A training in the application: its settings, how far it is, and what it has left.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gui/state/training/training_fields.h"
#include "gui/state/training/training_results.h"

namespace rankscope::gui {

struct TrainingState {
  enum class State : std::uint8_t { none, running, stopped, failed, done };
  State state = State::none;
  TrainingValues values;
  TrainingResultsPtr results;    ///< Null: nothing has been read yet.
  std::uint64_t results_id = 0;  ///< Another one for each of them.
  TrainingProgress progress;     ///< While it runs.
  std::string problem;       ///< Why it could not be started, or ended; empty: nothing is wrong.
  bool no_pictures = false;  ///< It is that the pictures are not here.
  std::string pictures_that_are;  ///< A data set that is here, to be taken instead; empty: none.
};
std::string_view to_string(TrainingState::State state) noexcept;

}  // namespace rankscope::gui
