// What a message of a step carries, as the object of a sentence.
#pragma once

#include <string>

#include "engine/analysis/narration/step_facts.h"

namespace rankscope::narration {

struct ObjectWords {
  std::string one;         ///< Of one sender: "the chunk that it has just added to".
  std::string several;     ///< Of several: "the chunks that they have just added to".
  bool passed_on = false;  ///< It is what they received last.
};
ObjectWords object_of(const StepLink& link, Motion motion, ReduceOp op);

}  // namespace rankscope::narration
