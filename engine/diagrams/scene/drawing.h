// Short ways to put marks into a scene and scenes together, and the measures that diagrams share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/base/text.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

inline constexpr Font kCaption{12, Font::Weight::regular, false};
inline constexpr Font kCaptionStrong{12, Font::Weight::semibold, false};
inline constexpr Font kBody{14, Font::Weight::regular, false};
inline constexpr Font kBodyStrong{14, Font::Weight::semibold, false};
inline constexpr Font kEmphasis{16, Font::Weight::semibold, false};
inline constexpr Font kHeading{21, Font::Weight::bold, false};
inline constexpr Font kFigures{14, Font::Weight::regular, true};  ///< Numbers in tables.

/// Returns the ink of lines and outlines in the colour of a chunk or a rank's tile; other inks unchanged.
Ink edge_of(const Ink& ink) noexcept;
Ink text_on(const Ink& fill) noexcept;

/// References to marks are valid until the next mark. Lines and outlines in a chunk's colour take the tone that is
/// visible on every background.
class Drawing {
 public:
  Drawing(Scene& scene, const Ruler& ruler) : scene_(scene), ruler_(ruler) {}

  /// Puts later marks into this group (-1: none).
  void group(std::int32_t group) noexcept { group_ = group; }
  std::int32_t new_group(Group group) { return group_ = scene_.add_group(std::move(group)); }

  Mark& box(const Box& box, std::optional<Ink> fill, std::optional<Ink> stroke = {},
            double radius = 0, double line_width = 1);
  Mark& circle(Point center, double radius, std::optional<Ink> fill,
               std::optional<Ink> stroke = {});

  /// `origin`: the baseline at the anchor.
  Mark& text(std::string_view words, Point origin, const Font& font, Ink ink = {},
             Anchor anchor = Anchor::start);
  /// The middle of its figures and capitals is at the height of `at`.
  Mark& level(std::string_view words, Point at, const Font& font, Ink ink = {},
              Anchor anchor = Anchor::middle);
  /// Centred in the box's height by the font's ascent and descent, and at the anchor's side of it.
  Mark& text_in(const Box& box, std::string_view words, const Font& font, Ink ink = {},
                Anchor anchor = Anchor::middle);
  /// Turned by 90 degrees counter-clockwise, and centred at `center`.
  Mark& upward(std::string_view words, Point center, const Font& font, Ink ink = {});
  /// A rank's number on its neutral tile.
  Box rank_tile(const std::string& number, Point center, const Font& font = kCaptionStrong);
  /// A label on an arrow.
  Box pill(const std::string& label, Point center, Ink fill, Ink ink);
  Box pill_box(const std::string& label, Point center) const;

  Mark& line(Point from, Point to, Ink ink, double width = 1);
  Mark& arrow(Point from, Point to, Ink ink, double width);
  /// Points as in Mark::points.
  Mark& path(std::vector<Point> points, Ink ink, double width);
  /// Two strokes that mark what is lost.
  void cross(Point center, double reach);
  Mark& triangle(Point a, Point b, Point c, Ink fill);

  const Ruler& ruler() const noexcept { return ruler_; }
  double width(std::string_view words, const Font& font) const { return ruler_.width(words, font); }
  Scene& scene() noexcept { return scene_; }

 private:
  Mark& put(Mark mark);
  Scene& scene_;
  const Ruler& ruler_;
  std::int32_t group_ = -1;
};

std::vector<Point> straight(Point from, Point to);
/// Returns the point at `t` of the first of a path's cubic segments.
Point bezier(std::span<const Point> points, double t) noexcept;
/// Returns whether that segment goes through the box.
bool passes(std::span<const Point> points, const Box& box) noexcept;

/// Adds a scene's marks and groups to another, its page's corner at `at`. `prefix` goes before the
/// ids of groups, so that they stay different from those that are there already. The page and the
/// clock grow as needed.
void place(const Scene& part, Point at, Scene& into, std::string_view prefix = {});

/// Gives all the size of the largest.
void make_alike(std::vector<Scene>& scenes) noexcept;

/// Scenes below each other on one page, under the first one's title.
Scene stacked(const std::vector<Scene>& scenes);

void shift(Mark& mark, Point by) noexcept;

/// Fits the page to the marks, with a margin; they may lie anywhere before.
void trim(Scene& scene, double margin);

/// The texts around a diagram.
struct Caption {
  std::string title;                  ///< Empty: none.
  std::vector<std::string> subtitle;  ///< Lines below it.
  std::vector<std::string> notes;     ///< Lines below the diagram.
};
/// Returns a page with a diagram, whose marks may lie anywhere, and its caption. Long texts are broken at the diagram's
/// width, and cut after a few lines; Scene::title has the whole title.
Scene captioned(Scene body, const Caption& caption, const Ruler& ruler);
/// Returns the diagram alone, for a window that writes the caption itself, in letters that do not shrink.
/// Scene::description has the subtitle and the notes, one per line.
Scene uncaptioned(Scene body, const Caption& caption);

/// Breaks text at spaces into lines of at most `width` pixels (a longer word gets its own line).
std::vector<std::string> wrapped(std::string_view text, const Font& font, double width,
                                 const Ruler& ruler);

}  // namespace rankscope
