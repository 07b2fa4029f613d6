// What would have become of a deadlock had its program been written otherwise: its blocked sends and receives, and the
// line behind each as far as the program's text gives it, gone through once more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/findings/blocked_ranks.h"

namespace rankscope {

struct WhatIf {
  std::string_view name;  ///< "receive-first": what a command is given.
  std::string label;      ///< "rank 0 receives first"
  bool ends = false;      ///< Nobody waits for ever, and every message is received.
  std::string outcome;    ///< "ends after 2 steps", "still a deadlock: 0 → 1 → 0"
  /// How far that is known: "Line 10 is taken from the program's text; ..."
  std::string proviso;
  Trace run;  ///< It, from where the ranks were blocked: its messages, and no data.
};

/// The names that there are, whatever the deadlock.
std::vector<std::string_view> what_if_names();

/// Those that make sense for this deadlock, the changes first, "as-written" last. None for a run that did not end as
/// one, of ranks blocked in a collective, and of receives from anybody.
std::vector<WhatIf> what_ifs(const Trace& trace);

}  // namespace rankscope
