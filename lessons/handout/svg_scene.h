// Reads a lesson's SVG file as a scene, so that slides and handouts paint it in their theme.
#pragma once

#include <string_view>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// Reads rect, circle, line, text, and paths of straight lines, of which our exports and hand-drawn figures consist. Each
/// colour becomes the nearest tone of the light theme. Throws UserError for other shapes and for what is no SVG.
Scene scene_of_svg(std::string_view svg, const Ruler& ruler);

}  // namespace rankscope
