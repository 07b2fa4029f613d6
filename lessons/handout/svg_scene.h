// A lesson's SVG file as a scene, so that it stands on slides and in handouts in their theme.
#pragma once

#include <string_view>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// What our own exports and hand-drawn figures consist of: rect, circle, line, text, and paths of straight lines.
/// Each colour becomes the tone that is nearest to it in the light theme. Throws UserError for what is no SVG,
/// or has other shapes.
Scene scene_of_svg(std::string_view svg, const Ruler& ruler);

}  // namespace rankscope
