// The cursor of diagrams with a time axis: one bright line, with its moment above.
#pragma once

#include <string>

#include "gui/views/base/view.h"
#include "gui/views/scene/scene_painter.h"

namespace rankscope::gui {

/// The text of the line's flag: the moment in the unit of an axis that ends there.
std::string cursor_text(const Playback& playback, double end);

/// `top`: of the phases' bands, in the scene's units: the flag stands above them and hides none. Nothing
/// is drawn where the axis does not reach the moment.
void draw_cursor(const ViewContext& context, ImDrawList& list, const ClockAxis& axis,
                 const ScenePlace& place, double top, double moment, const std::string& text,
                 Tone tone = Tone::accent);

/// Returns the top of the bands of phases, or of the axis if it has none.
double top_of_bands(const Scene& scene, const ClockAxis& axis);

/// Covers what comes after `from`, up to so far above the lanes.
void draw_curtain(const ViewContext& context, ImDrawList& list, const ClockAxis& axis,
                  const ScenePlace& place, double from, double above = 10);

}  // namespace rankscope::gui
