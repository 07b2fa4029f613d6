// Ghost runs: a deadlock's blocked sends and receives, and the line behind each as far as the program's text gives it,
// gone through once more as if the program had been written otherwise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/findings/blocked_ranks.h"

namespace rankscope {

struct WhatIf {
  std::string_view name;  ///< The word for commands: "receive-first".
  std::string label;      ///< "rank 0 receives first"
  bool ends = false;      ///< No rank waits for ever, and every message is received.
  std::string outcome;    ///< "ends after 2 steps", "still a deadlock: 0 → 1 → 0"
  /// The limits of what is known: "Line 10 is taken from the program's text; ..."
  std::string proviso;
  Trace run;  ///< The ghost run, from where the ranks were blocked: messages without data.
};

/// The ghost runs that make sense for this deadlock, the changes first, "as-written" last. Empty for a run that did not
/// end as one, for ranks blocked in a collective, and for receives from any rank.
std::vector<WhatIf> what_ifs(const Trace& trace);

}  // namespace rankscope
