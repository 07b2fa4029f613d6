// The sentence of a step: senders, loads and receivers, and the effect on the data.
#pragma once

#include <cstddef>
#include <string>

#include "engine/analysis/narration/step_facts.h"

namespace rankscope::narration {

/// At most `longest` characters. `effect` follows the colon, and may be empty; `running` says that the run goes on.
std::string step_sentence(const StepFacts& facts, const StepReader& reader, Holdings& holdings,
                          const std::string& effect, bool running, std::size_t longest);

}  // namespace rankscope::narration
