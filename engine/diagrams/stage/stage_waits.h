// At the end of a deadlock: an arrow from each blocked rank to the one that it waits for.
#pragma once

#include <vector>

#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/stage/stage_layout.h"
#include "engine/diagrams/stage/stage_trouble.h"

namespace rankscope {

class StageWaits {
 public:
  StageWaits(const StageLayout& layout, const StageTrouble& trouble, const Ruler& ruler);

  /// One of them passes there.
  bool cross(const Box& box) const;
  /// With what each waits for beside it, where there is room; who only follows is calm.
  void draw(Drawing& pen) const;

 private:
  struct Arrow {
    const StageTrouble::Wait* wait = nullptr;
    StagePath path;
  };
  void part();
  Box pill_of(const StageTrouble::Wait& wait) const;

  const StageTrouble& trouble_;
  const Ruler& ruler_;
  const bool words_;
  const bool thin_;  ///< Nodes are small: so are the heads of arrows.
  const double scale_;
  const Font font_;
  std::vector<Arrow> arrows_;
};

}  // namespace rankscope
