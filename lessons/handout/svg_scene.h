// Reads a lesson's SVG file as a scene, so that slides, handouts and the application paint it in their theme.
#pragma once

#include <string_view>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// The treatment of shapes that are not supported.
enum class OtherShapes : std::uint8_t { refused, left_out };

/// Reads rect, circle, line, text, and paths of straight lines, of which our exports and hand-drawn figures consist. Each
/// colour becomes the nearest tone of the light theme. Throws UserError for what is no SVG, and for other shapes if they are
/// refused.
Scene scene_of_svg(std::string_view svg, const Ruler& ruler,
                   OtherShapes others = OtherShapes::refused);

}  // namespace rankscope
