// A picture as plain data: marks with the meaning of their colours, and groups that can be hovered,
// faded and animated. Every diagram is a function Trace -> Scene; painters (SVG, Cairo, HTML, the
// application) know scenes and nothing of traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// Lengths are in pixels at 96 per inch (a PDF's point is 4/3 of one); y grows downwards.
struct Point {
  double x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;

  static Box around(Point center, double width, double height) noexcept {
    return {center.x - width / 2, center.y - height / 2, width, height};
  }
  double right() const noexcept { return x + width; }
  double bottom() const noexcept { return y + height; }
  Point center() const noexcept { return {x + width / 2, y + height / 2}; }
  Box grown(double by) const noexcept { return {x - by, y - by, width + 2 * by, height + 2 * by}; }
  bool empty() const noexcept { return width <= 0 || height <= 0; }
  bool contains(Point p) const noexcept {
    return p.x >= x && p.x <= right() && p.y >= y && p.y <= bottom();
  }
  /// True when they share more than an edge.
  bool overlaps(const Box& o) const noexcept {
    return x < o.right() && o.x < right() && y < o.bottom() && o.y < bottom();
  }
  bool inside(const Box& o) const noexcept {
    return x >= o.x && y >= o.y && right() <= o.right() && bottom() <= o.bottom();
  }
  bool operator==(const Box&) const = default;
};
Box united(const Box& a, const Box& b) noexcept;

/// The meaning of a colour, which a theme chooses.
enum class Tone : std::uint8_t {
  page,
  panel,  ///< Background of a card or legend.
  frame,  ///< Its border.
  lane,   ///< A rank's line through time.
  grid,
  text,
  muted,   ///< Captions, axis numbers.
  accent,  ///< Cursor, selection.
  error,   ///< Counted twice, late, unmatched.
  good,
  blocked,
  computing,
  reducing,
  copying,
  chunk,     ///< By chunk number.
  on_chunk,  ///< Text on it.
  rank,      ///< The tile behind a rank's number: the same for all, since a hue is a chunk.
  rank_edge,
  whole,  ///< Data that is no single chunk, a vector of one rank: neutral.
  on_whole,
  phase,  ///< Neutral, too: the shade alternates with the phase's number.
  heat,   ///< A matrix's cell: index is 0 (nothing) to 100 (the most).
  on_heat,
  chunk_edge,  ///< Lines in a chunk's colour and outlines round it: seen on every background.
  series,      ///< By the number of a plot's line.
  load,        ///< A link's use: index is 1 (hardly used) to 100 (full).
};

struct Ink {
  Tone tone = Tone::text;
  int index = 0;
  float alpha = 1;
  bool operator==(const Ink&) const = default;
};

struct Font {
  enum class Weight : std::uint8_t { regular, semibold, bold };
  double size = 14;
  Weight weight = Weight::regular;
  bool mono = false;
  bool operator==(const Font&) const = default;
};

enum class Anchor : std::uint8_t { start, middle, end };

struct Mark {
  enum class Kind : std::uint8_t { box, path, text };

  Kind kind = Kind::box;
  /// A box itself, a text's extent (ascent to descent), or the bounds of a path's points.
  Box box;
  std::int32_t group = -1;  ///< Index into Scene::groups; -1: part of the background.

  std::optional<Ink> fill, stroke;
  double line_width = 1;
  bool dotted = false;
  bool hatched =
      false;  ///< A box: lines over its fill, so that greyscale print and the colour-blind see it too.
  double radius = 0;  ///< Radius of a box's corners.

  /// A path: its start, then three points (two control points, end) for each cubic Bézier segment.
  std::vector<Point> points;
  bool arrow = false;  ///< A head at the end of the path.
  bool closed = false;

  std::string text;  ///< One line, UTF-8. Drawn with `fill`.
  Font font;
  Anchor anchor = Anchor::start;
  Point origin;        ///< Origin of the baseline, at the anchor.
  double rotated = 0;  ///< Degrees, clockwise, about `origin`: 0 or -90.
};

/// Marks that belong together: an arrow with its label, a cell of a grid.
struct Group {
  std::string id;     ///< Stable within a diagram: "m17", "cell-2-3".
  std::string story;  ///< For hover: lines separated by '\n'; empty if there is nothing to say.
  /// When it happens, on the scene's clock; before `begin` painters fade it. Without a time of its
  /// own (begin > end) it always shows at full strength.
  double begin = 0, end = -1;
  bool timed() const noexcept { return begin <= end; }
  /// Returns whether it is still to come at this moment. At `begin`, what takes time still is. At a negative moment,
  /// nothing is.
  bool ahead(double now) const noexcept {
    return now >= 0 && timed() && (begin > now || (begin == now && end > begin));
  }
};

/// Where the scene's clock runs: painters that show a moment draw a line there, from the point of the
/// moment to that point plus `across`. Between two knots the clock runs evenly.
struct ClockAxis {
  struct Knot {
    double time = 0;
    Point at;
  };
  std::vector<Knot> knots;  ///< Ascending; at least two.
  Point across;
  Point at(double time) const noexcept;
  /// Returns the moment nearest to a point, in the direction of the axis.
  double time_at(Point p) const noexcept;
};

struct Scene {
  double width = 0, height = 0;
  std::string title;        ///< For a file's metadata and for screen readers.
  std::string description;  ///< A sentence or two in place of the picture.
  std::vector<Group> groups;
  std::vector<Mark> marks;  ///< Painted in this order.
  double clock_end = 0;     ///< The clock runs from 0 to here; 0 if nothing moves.
  std::optional<ClockAxis> clock_axis;
  std::optional<ClockAxis>
      second_axis;  ///< The axis of another diagram on the same page, on its own clock.

  std::int32_t add_group(Group group);
  Box page() const noexcept { return {0, 0, width, height}; }
};

/// "on-chunk"
std::string_view to_string(Tone tone) noexcept;

/// Two marks that overlap: see overlapping_texts.
struct Overlap {
  std::size_t first = 0, second = 0;  ///< Indices of marks.
};
/// Pairs of texts whose boxes overlap by more than `tolerance` both ways.
std::vector<Overlap> overlapping_texts(const Scene& scene, double tolerance = 0.5);
/// Marks that reach beyond the page by more than half a pixel.
std::vector<std::size_t> outside_page(const Scene& scene);

/// Returns the form that golden tests compare: one line per group and mark, lengths rounded to a tenth of a pixel.
std::string to_text(const Scene& scene);

}  // namespace rankscope
