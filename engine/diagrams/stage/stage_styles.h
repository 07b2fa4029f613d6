// The styles in which a rank's card may be drawn, from the richest to the poorest.
#pragma once

#include <vector>

#include "engine/diagrams/stage/stage_layout.h"

namespace rankscope {

std::vector<StageStyle> stage_styles(const StageModel& model, bool values);

/// With the widths that its words need; everything scaled.
StageStyle measured_style(StageStyle style, const StageModel& model, const StageWishes& wishes,
                          double scale, const Ruler& ruler);

}  // namespace rankscope
