// What tables of cells draw with: texts in boxes, and corners.
#pragma once

#include <optional>
#include <string_view>

#include "engine/diagrams/drawing.h"

namespace rankscope {

class Pen {
 public:
  Pen(Scene& scene, const Ruler& ruler) : drawing_(scene, ruler) {}

  const Ruler& ruler() const noexcept { return drawing_.ruler(); }
  Scene& scene() noexcept { return drawing_.scene(); }
  /// Marks belong to this group until it is changed; -1: to none.
  void use_group(std::int32_t group) noexcept { drawing_.group(group); }
  double width(std::string_view text, const Font& font) const { return ruler().width(text, font); }

  /// References to marks are good until the next mark.
  Mark& box(const Box& box, std::optional<Ink> fill, std::optional<Ink> stroke = std::nullopt,
            double radius = 0, double line_width = 1) {
    return drawing_.box(box, fill, stroke, line_width, radius);
  }

  /// Centred in height, and at the anchor's side of the box in width.
  Mark& text_in(const Box& box, std::string_view text, const Font& font, const Ink& ink = {},
                Anchor anchor = Anchor::middle) {
    const double x = anchor == Anchor::start ? box.x
                     : anchor == Anchor::end ? box.right()
                                             : box.center().x;
    const double baseline = box.center().y + (ruler().ascent(font) - ruler().descent(font)) / 2;
    return drawing_.text(text, {x, baseline}, font, ink, anchor);
  }

  /// Filled.
  Mark& triangle(Point a, Point b, Point c, const Ink& fill) {
    Mark& mark = drawing_.path({a, a, b, b, b, c, c, c, a, a}, fill, 1);
    mark.closed = true;
    mark.fill = fill;
    mark.stroke.reset();
    return mark;
  }

 private:
  Drawing drawing_;
};

}  // namespace rankscope
