// The broken rule to look at first, and those that follow from it.
#pragma once

#include <string>
#include <vector>

#include "gui/state/code/code_state.h"

namespace rankscope::gui {

struct RootCause {
  const CodeState::Rule* rule = nullptr;  ///< Null if every rule is kept.
  std::vector<const CodeState::Rule*>
      others;  ///< Broken in ways of their own, in the order of the exercise.
  /// Cannot be judged until the first one is mended: broken by the same failure, or by what it does to the values.
  std::vector<const CodeState::Rule*> follows;
  std::string advice;
};

/// Returns the first rule by cause: a run that broke off comes first, as it keeps no rule; then rules with a place in a run, and
/// earlier runs before later ones. `has_run`: there is a run to open.
RootCause find_root_cause(const std::vector<CodeState::Rule>& rules, bool has_run = true);

}  // namespace rankscope::gui
