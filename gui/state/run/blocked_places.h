// The lines of a program's source at which blocked ranks stand, for the list of problems.
#pragma once

#include <vector>

#include "engine/analysis/findings/blocked_ranks.h"
#include "engine/analysis/findings/findings.h"
#include "gui/state/run/problems.h"

namespace rankscope::gui {

class BlockedPlaces {
 public:
  explicit BlockedPlaces(const Trace& trace);
  /// Where the ranks of a finding stand, and the line that would free the first one.
  void add_to(const Finding& finding, Problem& problem) const;

 private:
  const BlockedGroup* group_of(const Finding& finding) const;
  Problem::Excerpt excerpt(std::string title, const std::string& file, unsigned line) const;

  Trace trace_;
  BlockedRanks blocked_;
};

}  // namespace rankscope::gui
