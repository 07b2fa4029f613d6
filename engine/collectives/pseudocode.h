// The algorithms in the notation of a textbook: a few lines each, and in which phase of a run each line is done.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct PseudocodeLine {
  std::string text;  ///< Indented by two spaces a level.
  /// The run's phases (Communicator::phase) in which it is done, "-" for outside of all phases; empty for none.
  std::vector<std::string> phases;
  /// Returns whether the line is done in any part of a path as phase_path() gives it: "group reduce / reduce".
  bool done_in(std::string_view path) const;
};

/// Returns 4 to 10 lines, or nothing for an algorithm without pseudocode (schedules, exercises, plug-ins). There are p
/// ranks, and r is this one; numbers of ranks and chunks are modulo p; + is the operator of a reduction.
std::vector<PseudocodeLine> pseudocode_of(std::string_view algorithm);

}  // namespace rankscope
