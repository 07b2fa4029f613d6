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
  /// `path` as phase_path() gives it: "group reduce / reduce"; any part of it.
  bool done_in(std::string_view path) const;
};

/// 4 to 10 lines; the source is the algorithm's in the registry. p ranks, r is this one, all numbers of ranks and
/// chunks modulo p; + is the operator of a reduction. Empty of algorithms without any (schedules, exercises).
std::vector<PseudocodeLine> pseudocode_of(std::string_view algorithm);

}  // namespace rankscope
