// What graphs and tables draw alike, and its measures.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/diagrams/drawing.h"

namespace rankscope {

inline constexpr Font kCaption{12, Font::Weight::regular, false};
inline constexpr Font kCaptionStrong{12, Font::Weight::semibold, false};
inline constexpr Font kBody{14, Font::Weight::regular, false};
inline constexpr Font kBodyStrong{14, Font::Weight::semibold, false};
inline constexpr Font kEmphasis{16, Font::Weight::semibold, false};
inline constexpr Font kHeading{21, Font::Weight::bold, false};
inline constexpr Font kFigures{14, Font::Weight::regular, true};  ///< Numbers in tables.

class Pen : public Drawing {
 public:
  using Drawing::Drawing;

  void in_group(std::int32_t of) noexcept { group(of); }
  void in_group(Group of) { new_group(std::move(of)); }

  // The references are valid until the next mark.
  Mark& box(const Box& box, std::optional<Ink> fill, std::optional<Ink> stroke = {},
            double radius = 0) {
    return Drawing::box(box, fill, stroke, 1, radius);
  }
  Mark& circle(Point center, double radius, std::optional<Ink> fill,
               std::optional<Ink> stroke = {});
  /// The middle of its small letters is at the height of `at`.
  Mark& level(std::string text, Point at, const Font& font, Ink ink = {Tone::text},
              Anchor anchor = Anchor::middle);
  /// A label on an arrow.
  Box pill(const std::string& label, Point center, Ink fill, Ink text);
  Box pill_box(const std::string& label, Point center) const;
};

/// A straight path from one point to another.
std::vector<Point> straight(Point from, Point to);
/// Where a path of cubic segments is at `t` of its first segment.
Point bezier(const std::vector<Point>& points, double t) noexcept;

}  // namespace rankscope
