// Adds marks to a scene: what all diagrams draw alike, and its measures.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/diagrams/ruler.h"
#include "engine/diagrams/scene.h"

namespace rankscope {

inline constexpr Font kCaption{12, Font::Weight::regular, false};
inline constexpr Font kCaptionStrong{12, Font::Weight::semibold, false};
inline constexpr Font kBody{14, Font::Weight::regular, false};
inline constexpr Font kBodyStrong{14, Font::Weight::semibold, false};
inline constexpr Font kEmphasis{16, Font::Weight::semibold, false};
inline constexpr Font kHeading{21, Font::Weight::bold, false};
inline constexpr Font kFigures{14, Font::Weight::regular, true};  ///< Numbers in tables.

class Pen {
 public:
  Pen(Scene& scene, const Ruler& ruler) : scene_(scene), ruler_(ruler) {}

  /// What is drawn from now on belongs to this group (-1: to none).
  void in_group(std::int32_t group) noexcept { group_ = group; }
  void in_group(Group group) { group_ = scene_.add_group(std::move(group)); }

  // The references are valid until the next mark.
  Mark& box(const Box& box, std::optional<Ink> fill, std::optional<Ink> stroke = {},
            double radius = 0);
  Mark& circle(Point center, double radius, std::optional<Ink> fill, std::optional<Ink> stroke = {});
  Mark& line(Point from, Point to, Ink ink, double width = 1);
  Mark& path(std::vector<Point> points, Ink ink, double width = 1);
  Mark& text(std::string_view text, Point baseline, const Font& font, Ink ink = {Tone::text},
             Anchor anchor = Anchor::start);
  /// The middle of its small letters is at the height of `at`.
  Mark& level(std::string_view text, Point at, const Font& font, Ink ink = {Tone::text},
              Anchor anchor = Anchor::middle);
  /// The same, read upwards.
  Mark& upwards(std::string_view text, Point center, const Font& font, Ink ink = {Tone::text});
  /// A label on an arrow.
  Box pill(std::string_view label, Point center, Ink fill, Ink text);
  Box pill_box(std::string_view label, Point center) const;

  const Ruler& ruler() const noexcept { return ruler_; }
  Scene& scene() noexcept { return scene_; }

 private:
  Mark& add(Mark mark);

  Scene& scene_;
  const Ruler& ruler_;
  std::int32_t group_ = -1;
};

/// A straight path from one point to another.
std::vector<Point> straight(Point from, Point to);
/// Where a path of cubic segments is at `t` of its first segment.
Point bezier(const std::vector<Point>& points, double t) noexcept;

}  // namespace rankscope
