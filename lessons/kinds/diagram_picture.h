// Draws a student's diagram of arrows, to be handed in as a picture.
#pragma once

#include <span>
#include <string_view>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "lessons/kinds/diagram_answer.h"

namespace rankscope {

/// Draws a lane for each rank and a column for each used time slot, after the local copies. Draws wrong answers, too: a
/// line below names arrows of ranks that do not exist. Throws UserError for more than kMostDiagramRanks.
Scene diagram_picture(std::span<const DiagramArrow> arrows, int ranks, std::string_view title,
                      const Ruler& ruler);

}  // namespace rankscope
