#include "engine/diagrams/pen.h"

#include <algorithm>

namespace rankscope {
namespace {

constexpr double kPillHeight = 20, kPillSides = 7;

// Half of what letters and figures rise above the baseline.
double half_rise(const Font& font) noexcept { return 0.36 * font.size; }

}  // namespace

Mark& Pen::circle(Point center, double radius, std::optional<Ink> fill, std::optional<Ink> stroke) {
  return box({center.x - radius, center.y - radius, 2 * radius, 2 * radius}, fill, stroke, radius);
}

Mark& Pen::level(std::string words, Point at, const Font& font, Ink ink, Anchor anchor) {
  return text(std::move(words), {at.x, at.y + half_rise(font)}, font, ink, anchor);
}

Box Pen::pill_box(const std::string& label, Point center) const {
  const double width =
      std::max(ruler().width(label, kCaptionStrong) + 2 * kPillSides, kPillHeight + 4);
  return {center.x - width / 2, center.y - kPillHeight / 2, width, kPillHeight};
}

Box Pen::pill(const std::string& label, Point center, Ink fill, Ink ink) {
  const Box where = pill_box(label, center);
  box(where, fill, Ink{Tone::page}, kPillHeight / 2);
  level(label, center, kCaptionStrong, ink);
  return where;
}

std::vector<Point> straight(Point from, Point to) { return {from, from, to, to}; }

Point bezier(const std::vector<Point>& p, double t) noexcept {
  const double u = 1 - t;
  const double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
          a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

}  // namespace rankscope
