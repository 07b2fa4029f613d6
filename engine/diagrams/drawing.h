// Short ways to put marks into a scene.
#pragma once

#include <string>
#include <string_view>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/utf8.h"
#include "engine/diagrams/ruler.h"
#include "engine/diagrams/scene.h"

namespace rankscope {

class Drawing {
 public:
  Drawing(Scene& scene, const Ruler& ruler) : scene_(scene), ruler_(ruler) {}

  /// Marks to come belong to this group (-1: to none).
  void group(std::int32_t group) noexcept { group_ = group; }
  std::int32_t new_group(Group group) { return group_ = scene_.add_group(std::move(group)); }

  Mark& box(const Box& box, std::optional<Ink> fill, std::optional<Ink> stroke = {}, double width = 1,
            double radius = 0) {
    Mark mark;
    mark.kind = Mark::Kind::box;
    mark.box = box;
    mark.fill = fill;
    mark.stroke = stroke;
    mark.line_width = width;
    mark.radius = radius;
    return put(std::move(mark));
  }

  /// `origin`: the baseline at the anchor.
  Mark& text(std::string_view text, Point origin, const Font& font, Ink ink = {},
             Anchor anchor = Anchor::start) {
    Mark mark;
    mark.kind = Mark::Kind::text;
    mark.text = printable(text);
    mark.box = ruler_.extent(mark.text, font, origin, anchor);
    mark.font = font;
    mark.fill = ink;
    mark.anchor = anchor;
    mark.origin = origin;
    return put(std::move(mark));
  }

  /// Centred both ways: the middle of its capitals is the middle of the box.
  Mark& centered(std::string_view words, Point center, const Font& font, Ink ink = {}) {
    return text(words, {center.x, center.y + 0.36 * font.size}, font, ink, Anchor::middle);
  }

  /// Turned by 90 degrees against the clock, read from below; centred at `center`.
  Mark& upward(std::string_view words, Point center, const Font& font, Ink ink = {}) {
    Mark& mark = text(words, {center.x + 0.36 * font.size, center.y}, font, ink,
                      Anchor::middle);
    const double width = mark.box.width;
    mark.rotated = -90;
    mark.box = {mark.origin.x - ruler_.ascent(font), center.y - width / 2, ruler_.height(font), width};
    return mark;
  }

  Mark& line(Point from, Point to, Ink ink, double width = 1) {
    return path({from, from, to, to}, ink, width);
  }

  Mark& arrow(Point from, Point to, Ink ink, double width) {
    Mark& mark = line(from, to, ink, width);
    mark.arrow = true;
    return mark;
  }

  /// Points as in Mark::points.
  Mark& path(std::vector<Point> points, Ink ink, double width) {
    Mark mark;
    mark.kind = Mark::Kind::path;
    mark.stroke = ink;
    mark.line_width = width;
    mark.box = {points.front().x, points.front().y, 0, 0};
    for (const Point& p : points) mark.box = united(mark.box, {p.x, p.y, 0, 0});
    mark.points = std::move(points);
    return put(std::move(mark));
  }

  const Ruler& ruler() const noexcept { return ruler_; }
  Scene& scene() noexcept { return scene_; }

 private:
  Mark& put(Mark mark) {
    mark.group = group_;
    scene_.marks.push_back(std::move(mark));
    return scene_.marks.back();
  }
  Scene& scene_;
  const Ruler& ruler_;
  std::int32_t group_ = -1;
};

}  // namespace rankscope
