// Why a result is wrong: not divided, counted twice, another operator, lacking data ...
#pragma once

#include <string>

#include "engine/analysis/meant/outcome.h"

namespace rankscope::meant {

/// Why a rank's result is wrong, as a finding says it; `line` is of the program.
struct Cause {
  std::string what, why, advice;
  int line = 0;
  Rank rank = -1;
};

struct WrongCall {
  const Instance& instance;
  const Meaning& meaning;
  const Comparison& comparison;
  const std::string& name;
};
/// The plainest cause that explains a wrong rank's result: of the first rank where one does.
Cause cause_of(const WrongCall& wrong);

}  // namespace rankscope::meant
