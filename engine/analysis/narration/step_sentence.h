// The sentence of a step: who sends what to whom, and what that makes of the data.
#pragma once

#include <cstddef>
#include <string>

#include "engine/analysis/narration/step_facts.h"

namespace rankscope::narration {

/// At most `longest` characters; `effect`: what follows the colon, may be empty. `running`: the run goes on.
std::string step_sentence(const StepFacts& facts, const StepReader& reader, Holdings& holdings,
                          const std::string& effect, bool running, std::size_t longest);

}  // namespace rankscope::narration
