#include "engine/diagrams/pen.h"

#include <algorithm>

namespace rankscope {
namespace {

constexpr double kPillHeight = 20, kPillSides = 7;

// Half of what letters and figures rise above the baseline.
double half_rise(const Font& font) noexcept { return 0.36 * font.size; }

Box bounds(const std::vector<Point>& points) noexcept {
  Box box{points[0].x, points[0].y, 0, 0};
  for (const Point& p : points) box = united(box, {p.x, p.y, 0, 0});
  return box;
}

}  // namespace

Mark& Pen::add(Mark mark) {
  mark.group = group_;
  scene_.marks.push_back(std::move(mark));
  return scene_.marks.back();
}

Mark& Pen::box(const Box& box, std::optional<Ink> fill, std::optional<Ink> stroke, double radius) {
  Mark mark;
  mark.box = box;
  mark.fill = fill;
  mark.stroke = stroke;
  mark.radius = radius;
  return add(std::move(mark));
}

Mark& Pen::circle(Point center, double radius, std::optional<Ink> fill, std::optional<Ink> stroke) {
  return box({center.x - radius, center.y - radius, 2 * radius, 2 * radius}, fill, stroke, radius);
}

Mark& Pen::line(Point from, Point to, Ink ink, double width) {
  return path(straight(from, to), ink, width);
}

Mark& Pen::path(std::vector<Point> points, Ink ink, double width) {
  Mark mark;
  mark.kind = Mark::Kind::path;
  mark.box = bounds(points);
  mark.points = std::move(points);
  mark.stroke = ink;
  mark.line_width = width;
  return add(std::move(mark));
}

Mark& Pen::text(std::string_view text, Point baseline, const Font& font, Ink ink, Anchor anchor) {
  Mark mark;
  mark.kind = Mark::Kind::text;
  mark.text = text;
  mark.font = font;
  mark.fill = ink;
  mark.anchor = anchor;
  mark.origin = baseline;
  mark.box = ruler_.extent(text, font, baseline, anchor);
  return add(std::move(mark));
}

Mark& Pen::level(std::string_view words, Point at, const Font& font, Ink ink, Anchor anchor) {
  return text(words, {at.x, at.y + half_rise(font)}, font, ink, anchor);
}

Mark& Pen::upwards(std::string_view words, Point center, const Font& font, Ink ink) {
  const Point origin{center.x + half_rise(font), center.y};
  Mark& mark = text(words, origin, font, ink, Anchor::middle);
  mark.rotated = -90;
  const double length = mark.box.width;
  mark.box = {origin.x - ruler_.ascent(font), origin.y - length / 2, ruler_.height(font), length};
  return mark;
}

Box Pen::pill_box(std::string_view label, Point center) const {
  const double width =
      std::max(ruler_.width(label, kCaptionStrong) + 2 * kPillSides, kPillHeight + 4);
  return {center.x - width / 2, center.y - kPillHeight / 2, width, kPillHeight};
}

Box Pen::pill(std::string_view label, Point center, Ink fill, Ink ink) {
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
