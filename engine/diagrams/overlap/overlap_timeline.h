// Computing and communicating of each rank in two rows, for one or several forms of a step on one scale.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/overlap.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// One form of the step; its time begins with the first rank's.
struct OverlapPanel {
  std::string title = {};            ///< "one after the other"
  std::string figures = {};          ///< At the right of the title; may be empty.
  std::vector<RankWork> ranks = {};  ///< An entry with `rank` -1 stands for every rank.
};

struct OverlapTimeline {
  std::string title;    ///< Empty: no heading.
  std::string caption;  ///< Below it; may be empty.
  std::vector<OverlapPanel> panels;
  double width = 1000;
};

/// Communication of equal names has one colour. Throws UserError when there is no span at all.
Scene overlap_timeline(const OverlapTimeline& timeline, const Ruler& ruler);

}  // namespace rankscope
