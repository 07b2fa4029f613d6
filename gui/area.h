// A part of the window.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/diagrams/paint/cairo_painter.h"

namespace rankscope::gui {

/// In ImGui's units: pixels of the screen, not of the framebuffer.
struct Area {
  float x = 0, y = 0, width = 0, height = 0;
};

/// Cut out of a picture of the window. `scale`: pixels of the picture in a unit.
inline Pixels part_of(const Pixels& all, const Area& area, float scale) {
  const auto column = [&](float x) {
    return std::clamp(static_cast<int>(std::lround(x * scale)), 0, all.width);
  };
  const auto row = [&](float y) {
    return std::clamp(static_cast<int>(std::lround(y * scale)), 0, all.height);
  };
  const int left = column(area.x), top = row(area.y);
  Pixels part;
  part.width = column(area.x + area.width) - left;
  part.height = row(area.y + area.height) - top;
  if (part.width <= 0 || part.height <= 0) return all;
  for (int y = 0; y < part.height; ++y) {
    const auto begin = all.argb.begin() + std::ptrdiff_t{top + y} * all.width + left;
    part.argb.insert(part.argb.end(), begin, begin + part.width);
  }
  return part;
}

}  // namespace rankscope::gui
