// The geometry of arrows, the same for every painter.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// Returns whether the segment with control points `i` and `i + 1` is straight.
inline bool is_straight(const std::vector<Point>& points, std::size_t i) noexcept {
  return points[i] == points[i - 1] && points[i + 1] == points[i + 2];
}

inline double head_length(double line_width) noexcept {
  return std::min(5 + 3 * line_width, 8 + 0.8 * line_width);
}

/// Returns the unit vector in which the path ends.
inline Point end_direction(const std::vector<Point>& points) noexcept {
  const Point tip = points.back();
  for (std::size_t i = points.size() - 1; i-- > 0;) {
    const double dx = tip.x - points[i].x, dy = tip.y - points[i].y;
    const double length = std::hypot(dx, dy);
    if (length > 1e-6) return {dx / length, dy / length};
  }
  return {1, 0};
}

/// Returns the tip and the two corners behind it.
inline std::array<Point, 3> arrow_head(const std::vector<Point>& points,
                                       double line_width) noexcept {
  const Point tip = points.back(), d = end_direction(points);
  const double length = head_length(line_width), half = length * 0.42;
  const Point base{tip.x - d.x * length, tip.y - d.y * length};
  return {tip, Point{base.x - d.y * half, base.y + d.x * half},
          Point{base.x + d.y * half, base.y - d.x * half}};
}

/// Returns where a line must end so as not to show beside its head's tip.
inline Point end_under_head(const std::vector<Point>& points, double line_width) noexcept {
  const Point d = end_direction(points);
  const double by = head_length(line_width) * 0.8;
  return {points.back().x - d.x * by, points.back().y - d.y * by};
}

/// Returns the path without the part under its head.
inline std::vector<Point> shortened_for_head(std::vector<Point> points,
                                             double line_width) noexcept {
  const bool straight = is_straight(points, points.size() - 3);
  points.back() = end_under_head(points, line_width);
  if (straight) points[points.size() - 2] = points.back();
  return points;
}

}  // namespace rankscope
