// The pictures that lessons bring along: of SVG what such drawings need (rect, line, circle, path of
// straight lines, text), on paper of their own. What is not known is left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/views/base/look.h"

namespace rankscope::gui {

struct SvgShape {
  enum class Kind { rect, circle, path, text };
  Kind kind = Kind::path;
  std::vector<std::vector<ImVec2>> lines;  ///< The parts of a path.
  ImVec2 low, size;  ///< A rectangle's corner and size; a circle's centre and radius.
  float radius = 0, width = 1;
  std::vector<float> dashes;
  ImU32 fill = 0, stroke = 0;  ///< 0: none.
  std::string text;
  double font_size = 14;
  bool bold = false, upright = false;  ///< Upright: read from below to above.
  float anchor = 0;                    ///< 0: at its start; 0.5: its middle; 1: its end.
};

struct SvgPicture {
  float width = 0, height = 0;
  std::vector<SvgShape> shapes;
};

/// Nothing (no width) for what is no SVG.
SvgPicture parse_svg(std::string_view text);
void paint(ImDrawList& list, const SvgPicture& picture, const Look& look, ImVec2 at, float zoom);

}  // namespace rankscope::gui
