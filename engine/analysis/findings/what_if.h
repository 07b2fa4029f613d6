// Ghost runs: replays of a deadlock's blocked sends and receives, and of the call after each if the program's text shows
// it, as if the program were written differently.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/findings/blocked_ranks.h"

namespace rankscope {

struct WhatIf {
  std::string_view name;  ///< The word for commands: "receive-first".
  std::string label;      ///< "rank 0 receives first"
  bool ends = false;      ///< All ranks come to their ends, and every message is received.
  std::string outcome;    ///< "ends after 2 steps", "still a deadlock: 0 → 1 → 0"
  /// The limits of what is known: "Line 10 is taken from the program's text; ..."
  std::string proviso;
  Trace run;  ///< The ghost run, from where the ranks were blocked: messages without data.
};

/// Returns the ghost runs that make sense for this deadlock: changed ones, and "as-written" last. Returns none for other
/// runs, for ranks blocked in a collective, and for receives from any rank.
std::vector<WhatIf> what_ifs(const Trace& trace);

}  // namespace rankscope
