// What was drawn of the stage's cards, so that from one moment to the next only what has changed is drawn again.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/stage/stage_model.h"

namespace rankscope {

/// What happens to a row at a moment.
struct StageRowNow {
  bool target = false;  ///< Something is on its way to it, or has just arrived.
  bool adds = false;
  double pulse = 0;  ///< Of the sum sign, 0 to 1.
  Ink hue;           ///< Of what arrives.
  bool operator==(const StageRowNow&) const = default;
};

/// A row's marks, or those of a small card's bars, with all that they depend on.
struct StageKept {
  StageCells cells;  ///< Held, so that no other one gets the address of one of them.
  std::vector<StageRowNow> rows;
  bool pale = false, wrong = false;
  Group group;
  std::vector<Mark> marks;

  bool is_of(std::span<const std::shared_ptr<const DataCell>> now_cells,
             std::span<const StageRowNow> now_rows, bool now_pale, bool now_wrong) const noexcept {
    return !cells.empty() && pale == now_pale && wrong == now_wrong &&
           ranges::equal(cells, now_cells) && ranges::equal(rows, now_rows);
  }
};

struct StageKeptCard {
  StageCells cells;  ///< Those that `group` tells of.
  Group group;
  StageKept bars;
  std::vector<StageKept> rows;
};

/// By rank; of one stage.
using StageKeptCards = std::vector<StageKeptCard>;

}  // namespace rankscope
