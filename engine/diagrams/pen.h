// Adds marks to a scene: what every diagram needs to draw boxes, pills and lines of text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/diagrams/ruler.h"
#include "engine/diagrams/scene.h"

namespace rankscope {

class Pen {
 public:
  Pen(Scene& scene, const Ruler& ruler) noexcept : scene_(scene), ruler_(ruler) {}

  const Ruler& ruler() const noexcept { return ruler_; }
  Scene& scene() noexcept { return scene_; }
  /// Marks belong to this group until it is changed; -1: to none.
  void use_group(std::int32_t group) noexcept { group_ = group; }
  double width(std::string_view text, const Font& font) const { return ruler_.width(text, font); }

  /// The reference is good until the next mark.
  Mark& box(const Box& box, std::optional<Ink> fill, std::optional<Ink> stroke = std::nullopt,
            double radius = 0, double line_width = 1) {
    Mark mark;
    mark.kind = Mark::Kind::box;
    mark.box = box;
    mark.fill = fill;
    mark.stroke = stroke;
    mark.radius = radius;
    mark.line_width = line_width;
    return add(std::move(mark));
  }

  Mark& text(std::string text, const Font& font, Point baseline, const Ink& ink = {},
             Anchor anchor = Anchor::start) {
    Mark mark;
    mark.kind = Mark::Kind::text;
    mark.box = ruler_.extent(text, font, baseline, anchor);
    mark.fill = ink;
    mark.font = font;
    mark.anchor = anchor;
    mark.origin = baseline;
    mark.text = std::move(text);
    return add(std::move(mark));
  }

  /// Centred in height, and at the anchor's side of the box in width.
  Mark& text_in(const Box& box, std::string text, const Font& font, const Ink& ink = {},
                Anchor anchor = Anchor::middle) {
    const double x = anchor == Anchor::start ? box.x
                     : anchor == Anchor::end ? box.right()
                                             : box.center().x;
    return this->text(std::move(text), font, {x, baseline_in(box, font)}, ink, anchor);
  }

  /// A filled triangle.
  Mark& triangle(Point a, Point b, Point c, const Ink& fill) {
    Mark mark;
    mark.kind = Mark::Kind::path;
    mark.points = {a, a, b, b, b, c, c, c, a, a};
    mark.closed = true;
    mark.fill = fill;
    for (const Point& p : mark.points)
      mark.box = mark.box.width == 0 && mark.box.height == 0 && &p == &mark.points.front()
                     ? Box{p.x, p.y, 0, 0}
                     : united(mark.box, {p.x, p.y, 0, 0});
    return add(std::move(mark));
  }

  double baseline_in(const Box& box, const Font& font) const {
    return box.center().y + (ruler_.ascent(font) - ruler_.descent(font)) / 2;
  }

 private:
  Mark& add(Mark mark) {
    mark.group = group_;
    scene_.marks.push_back(std::move(mark));
    return scene_.marks.back();
  }

  Scene& scene_;
  const Ruler& ruler_;
  std::int32_t group_ = -1;
};

}  // namespace rankscope
