// The curtain: what is still to come is covered, so that one says it before one sees it.
#pragma once

#include "gui/views/scene/scene_painter.h"
#include "gui/views/view.h"

namespace rankscope::gui {

/// The moment, on the playback's clock, from which on it covers: the end of the step under way.
double curtain_from(const Playback& playback) noexcept;

void draw_curtain(const ViewContext& context, ImDrawList& list, const ClockAxis& axis,
                  const ScenePlace& place, double from);

}  // namespace rankscope::gui
