// Adds boxes, circles, text, pills, lines and arrows to a scene.
#include "engine/diagrams/scene/drawing.h"

#include <algorithm>

#include "engine/core/base/text.h"

namespace rankscope {
namespace {

constexpr double kPillHeight = 20, kPillSides = 7;

// Half the height of letters and figures above the baseline.
double half_rise(const Font& font) noexcept { return 0.36 * font.size; }

// Returns the outline's width for a filled box without one: less for small boxes, where gaps are small, too.
double edge_width(const Box& box) noexcept {
  return std::clamp(std::min(box.width, box.height) / 8, 0.6, 1.2);
}

}  // namespace

Ink edge_of(const Ink& ink) noexcept {
  if (ink.tone == Tone::chunk) return {Tone::chunk_edge, ink.index, ink.alpha};
  if (ink.tone == Tone::rank) return {Tone::rank_edge, 0, ink.alpha};
  return ink;
}

Ink text_on(const Ink& fill) noexcept {
  if (fill.tone == Tone::muted) return {Tone::page};
  return {fill.tone == Tone::whole ? Tone::on_whole : Tone::on_chunk, fill.index};
}

Mark& Drawing::put(Mark mark) {
  mark.group = group_;
  scene_.marks.push_back(std::move(mark));
  return scene_.marks.back();
}

Mark& Drawing::box(const Box& box, std::optional<Ink> fill, std::optional<Ink> stroke,
                   double radius, double line_width) {
  Mark mark;
  mark.kind = Mark::Kind::box;
  mark.box = box;
  mark.fill = fill;
  if (stroke) {
    mark.stroke = edge_of(*stroke);
    mark.line_width = line_width;
  } else if (fill && edge_of(*fill) != *fill) {
    mark.stroke = edge_of(*fill);
    mark.line_width = edge_width(box);
  }
  mark.radius = radius;
  return put(std::move(mark));
}

Mark& Drawing::circle(Point center, double radius, std::optional<Ink> fill,
                      std::optional<Ink> stroke) {
  return box(Box::around(center, 2 * radius, 2 * radius), fill, stroke, radius);
}

Box Drawing::rank_tile(const std::string& number, Point center, const Font& font) {
  const double width = std::max(24.0, ruler_.width(number, font) + 12);
  const Box tile = Box::around(center, width, 20);
  box(tile, Ink{Tone::rank}, {}, 4);
  level(number, center, font);
  return tile;
}

Mark& Drawing::text(std::string_view words, Point origin, const Font& font, Ink ink,
                    Anchor anchor) {
  Mark mark;
  mark.kind = Mark::Kind::text;
  mark.text = printable(words);
  mark.box = ruler_.extent(mark.text, font, origin, anchor);
  mark.font = font;
  mark.fill = ink;
  mark.anchor = anchor;
  mark.origin = origin;
  return put(std::move(mark));
}

Mark& Drawing::level(std::string_view words, Point at, const Font& font, Ink ink, Anchor anchor) {
  return text(words, {at.x, at.y + half_rise(font)}, font, ink, anchor);
}

Mark& Drawing::text_in(const Box& box, std::string_view words, const Font& font, Ink ink,
                       Anchor anchor) {
  const double x = anchor == Anchor::start ? box.x
                   : anchor == Anchor::end ? box.right()
                                           : box.center().x;
  const double baseline = box.center().y + (ruler_.ascent(font) - ruler_.descent(font)) / 2;
  return text(words, {x, baseline}, font, ink, anchor);
}

Mark& Drawing::upward(std::string_view words, Point center, const Font& font, Ink ink) {
  Mark& mark = text(words, {center.x + half_rise(font), center.y}, font, ink, Anchor::middle);
  const double width = mark.box.width;
  mark.rotated = -90;
  mark.box = {mark.origin.x - ruler_.ascent(font), center.y - width / 2, ruler_.height(font),
              width};
  return mark;
}

Box Drawing::pill_box(const std::string& label, Point center) const {
  const double wide = std::max(width(label, kCaptionStrong) + 2 * kPillSides, kPillHeight + 4);
  return Box::around(center, wide, kPillHeight);
}

Box Drawing::pill(const std::string& label, Point center, Ink fill, Ink ink) {
  const Box where = pill_box(label, center);
  const Ink edge = edge_of(fill);
  box(where, fill, edge == fill ? Ink{Tone::page} : edge, kPillHeight / 2);
  level(label, center, kCaptionStrong, ink);
  return where;
}

Mark& Drawing::line(Point from, Point to, Ink ink, double width) {
  return path(straight(from, to), ink, width);
}

Mark& Drawing::arrow(Point from, Point to, Ink ink, double width) {
  Mark& mark = line(from, to, ink, width);
  mark.arrow = true;
  return mark;
}

Mark& Drawing::path(std::vector<Point> points, Ink ink, double width) {
  Mark mark;
  mark.kind = Mark::Kind::path;
  mark.stroke = edge_of(ink);
  mark.line_width = width;
  mark.box = {points.front().x, points.front().y, 0, 0};
  for (const Point& p : points) mark.box = united(mark.box, {p.x, p.y, 0, 0});
  mark.points = std::move(points);
  return put(std::move(mark));
}

void Drawing::cross(Point center, double reach) {
  for (const double way : {-1.0, 1.0})
    line({center.x - reach, center.y - way * reach}, {center.x + reach, center.y + way * reach},
         {Tone::error}, 2);
}

Mark& Drawing::triangle(Point a, Point b, Point c, Ink fill) {
  Mark& mark = path({a, a, b, b, b, c, c, c, a, a}, fill, 1);
  mark.closed = true;
  mark.fill = edge_of(fill);
  mark.stroke.reset();
  return mark;
}

std::vector<Point> straight(Point from, Point to) { return {from, from, to, to}; }

Point bezier(std::span<const Point> p, double t) noexcept {
  const double u = 1 - t;
  const double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
          a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

bool passes(std::span<const Point> points, const Box& box) noexcept {
  constexpr int kSamples = 24;
  for (int i = 0; i <= kSamples; ++i)
    if (box.contains(bezier(points, static_cast<double>(i) / kSamples))) return true;
  return false;
}

}  // namespace rankscope
