// The styles in which a rank's card may be drawn, from the richest to the poorest.
#pragma once

#include <array>
#include <vector>

#include "engine/diagrams/stage/stage_layout.h"

namespace rankscope {

/// The scales in which each style is tried.
inline constexpr std::array kStageScales = {1.6, 1.3, 1.15, 1.0};

std::vector<StageStyle> stage_styles(const StageModel& model, bool values);

/// With the widths that its words need; everything scaled.
StageStyle measured_style(StageStyle style, const StageModel& model, const StageWishes& wishes,
                          double scale, const Ruler& ruler);

}  // namespace rankscope
