// Paints a scene's marks with Dear ImGui, faded and shifted by group.
#include "gui/views/scene/scene_painter.h"

#include <array>
#include <cmath>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/scene/arrow_head.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope::gui {
namespace {

constexpr float kHatchGap = 6;
/// Returns the part of a text's width that stands before its anchor.
template <class T>
T before_anchor(Anchor anchor, T width) {
  return anchor == Anchor::start ? 0 : anchor == Anchor::middle ? width / 2 : width;
}

/// Strength of dimmed marks while others are chosen; texts stay legible.
constexpr double kDimmed = 0.3;

class ScenePainter {
 public:
  ScenePainter(ImDrawList& list, const Look& look, const ScenePlace& place)
      : list_(list), look_(look), place_(place) {
    const ImVec2 low = list.GetClipRectMin(), high = list.GetClipRectMax();
    ScenePlace plain = place;
    plain.warp = {};
    const Point a = plain.back(low), b = plain.back(high);
    visible_ = {a.x, a.y, b.x - a.x, b.y - a.y};
  }

  /// On a projector, texts that would be too small are drawn larger where there is room for them, and else left out: the
  /// strong ones first.
  void choose_texts(const Scene& scene) {
    const double least = Look::kLeastText * static_cast<double>(look_.scale());
    if (!look_.projector() || place_.zoom * Look::kLeastText >= least - 0.01) return;
    chosen_.assign(scene.marks.size(), true);
    std::vector<std::size_t> small;
    std::vector<Box> taken;
    for (std::size_t i = 0; i < scene.marks.size(); ++i) {
      const Mark& mark = scene.marks[i];
      if (mark.kind != Mark::Kind::text || mark.text.empty()) continue;
      if (mark.font.size * place_.zoom >= least - 0.01) taken.push_back(extent(mark));
      else small.push_back(i);
    }
    ranges::stable_sort(small, [&](std::size_t a, std::size_t b) {
      const Font &x = scene.marks[a].font, &y = scene.marks[b].font;
      return std::pair(x.weight, x.size) > std::pair(y.weight, y.size);
    });
    for (const std::size_t i : small) {
      const Box box = extent(scene.marks[i]);
      chosen_[i] = fits_around(scene, i, box) && box.x > -1 && box.right() < scene.width + 1 &&
                   box.y > -1 && box.bottom() < scene.height + 1 &&
                   ranges::none_of(taken, [&](const Box& one) { return one.overlaps(box); });
      if (chosen_[i]) taken.push_back(box);
    }
    // A paragraph is drawn with all its lines, or not at all.
    for (std::size_t i = 1; i < scene.marks.size(); ++i)
      if (is_next_line(scene.marks[i - 1], scene.marks[i]) && chosen_[i - 1] != chosen_[i])
        chosen_[i - 1] = chosen_[i] = false;
  }
  bool leaves_out(std::size_t mark) const noexcept {
    return mark < chosen_.size() && !chosen_[mark];
  }

  void strength(double strength) noexcept { strength_ = strength; }
  void moved(Point by) noexcept { moved_ = by; }
  void emphasis(bool strong) noexcept { strong_ = strong; }

  /// Stands for a label that has no room.
  void dot(Point center, const Ink& color) {
    list_.AddCircleFilled(at(center), std::max(2.0F, length(4)), ink(color));
  }

  void paint(const Mark& mark) {
    Box reach = mark.box.grown(4 + 4 * mark.line_width);
    reach.x += moved_.x;
    reach.y += moved_.y;
    if (!place_.warp.none() && !warped(mark, reach)) return;
    if (!reach.overlaps(visible_)) return;
    switch (mark.kind) {
      case Mark::Kind::box: box(mark); break;
      case Mark::Kind::path: path(mark); break;
      case Mark::Kind::text: text(mark); break;
    }
  }

 private:
  // Finds where a mark is now; returns false if it is outside of the shown part.
  bool warped(const Mark& mark, Box& reach) const noexcept {
    const Warp& warp = place_.warp;
    if (mark.kind == Mark::Kind::text) {
      const bool inside = mark.origin.x >= warp.from && mark.origin.x <= warp.to;
      const double to = warp.free(mark.origin.x);
      if (!inside) return true;
      reach.x += to - mark.origin.x;
      return to >= warp.from && to <= warp.to;
    }
    const Box& box = mark.box;
    if (box.right() < warp.from || box.x > warp.to) return true;
    const double from = warp.at(box.x), to = warp.at(box.right());
    if (to <= from && box.width > 0) return false;
    if (box.width <= 0 && (warp.free(box.x) < warp.from || warp.free(box.x) > warp.to))
      return false;
    reach.x = from - 8;
    reach.width = to - from + 16;
    return true;
  }

  /// The letters' box in the scene, as large as they are drawn.
  Box extent(const Mark& mark) {
    const Look::Face& face = this->face(mark.font);
    const double width = static_cast<double>(face.extent(mark.text).x) / place_.zoom;
    const double ascent = 0.74 * static_cast<double>(face.size) / place_.zoom,
                 before = before_anchor(mark.anchor, width);
    const double lower = lowered(mark) / place_.zoom;
    if (mark.rotated == 0)
      return {mark.origin.x - before, mark.origin.y + lower - ascent, width, ascent};
    return {mark.origin.x + lower - ascent, mark.origin.y - width + before, ascent, width};
  }
  /// Letters that are drawn larger than the scene says have the same middle.
  double lowered(const Mark& mark) const noexcept {
    constexpr double kHalfCapital = 0.36;
    return kHalfCapital * std::max(0.0, least_units(mark.font) - mark.font.size) * place_.zoom;
  }
  double least_units(const Font& font) const noexcept {
    return look_.projector()
               ? std::max(font.size,
                          Look::kLeastText * static_cast<double>(look_.scale()) / place_.zoom)
               : font.size;
  }
  static bool is_next_line(const Mark& before, const Mark& mark) noexcept {
    return before.kind == Mark::Kind::text && mark.kind == Mark::Kind::text &&
           before.anchor == Anchor::start && mark.anchor == Anchor::start &&
           before.font == mark.font && before.origin.x == mark.origin.x &&
           std::abs(mark.origin.y - before.origin.y) < 2 * mark.font.size;
  }

  /// Returns whether `box` fits into the box around a text (a cell, a pill).
  static bool fits_around(const Scene& scene, std::size_t text, const Box& box) {
    constexpr std::size_t kNear = 6;  // marks back: a box comes shortly before its text
    constexpr double kOver = 1.15;
    const Point at = scene.marks[text].box.center();
    for (std::size_t i = text; i-- > text - std::min(text, kNear);) {
      const Mark& around = scene.marks[i];
      if (around.kind != Mark::Kind::box || !around.box.contains(at)) continue;
      return box.width <= around.box.width * kOver && box.height <= around.box.height * kOver;
    }
    return true;
  }

  // A scene has few colours and many marks.
  ImU32 ink(const Ink& ink) {
    auto& slot =
        inks_[(static_cast<std::size_t>(ink.tone) * 31 + static_cast<std::size_t>(ink.index)) %
              inks_.size()];
    if (!slot.known || slot.ink != ink || slot.strength != strength_)
      slot = {ink, strength_,
              strength_ >= 1 ? look_.color(ink) : look_.color(ink, {Tone::page}, strength_), true};
    return slot.color;
  }
  ImU32 text_ink(const Ink& usual) {
    if (strength_ >= 1) return ink(usual);
    return to_u32(look_.theme().pale_text(usual));
  }
  // A scene has few fonts, so a list is searched faster than a map.
  const Look::Face& face(const Font& font) {
    const auto known = ranges::find(faces_, font, &std::pair<Font, Look::Face>::first);
    if (known != faces_.end()) return known->second;
    return faces_.emplace_back(font, look_.face(font, place_.zoom)).second;
  }
  ImVec2 at(Point p) const noexcept { return place_.at({p.x + moved_.x, p.y + moved_.y}); }
  float length(double units) const noexcept { return static_cast<float>(units * place_.zoom); }
  float stroke(const Mark& mark) const noexcept {
    return std::max(1.0F, length(mark.line_width) * (strong_ ? 1.8F : 1.0F));
  }

  void box(const Mark& mark) {
    const ImVec2 low = at({mark.box.x, mark.box.y}),
                 high = at({mark.box.right(), mark.box.bottom()});
    const float radius =
        std::min({length(mark.radius), (high.x - low.x) / 2, (high.y - low.y) / 2});
    if (mark.fill) list_.AddRectFilled(low, high, ink(*mark.fill), radius);
    if (mark.hatched) hatch(low, high);
    if (!mark.stroke) return;
    const float line = stroke(mark);
    if (!mark.dotted && high.y - low.y < 2 * line) {  // all frame: its corners would stick out
      const float more = std::max(0.0F, line - (high.y - low.y)) / 2;
      list_.AddRectFilled({low.x, low.y - more}, {high.x, high.y + more}, ink(*mark.stroke));
      return;
    }
    if (!mark.dotted) return list_.AddRect(low, high, ink(*mark.stroke), radius, 0, line);
    list_.PathRect(low, high, radius);
    const ImVec2 first = list_._Path.front();
    list_.PathLineTo(first);
    dotted(ink(*mark.stroke), line);
  }

  void hatch(ImVec2 low, ImVec2 high) {
    const ImU32 color = ink({Tone::text, 0, 0.35F});
    const float gap = std::max(3.0F, length(kHatchGap)), height = high.y - low.y;
    if (high.x - low.x > 4000 || height > 4000) return;  // beyond any screen
    list_.PushClipRect(low, high, true);
    for (float x = low.x - height; x < high.x; x += gap)
      list_.AddLine({x, high.y}, {x + height, low.y}, color);
    list_.PopClipRect();
  }

  // `end` in place of the last point; where it differs, room was made for a head.
  void trace(const std::vector<Point>& points, Point end) {
    list_.PathClear();
    list_.PathLineTo(at(points.front()));
    for (std::size_t i = 1; i + 2 < points.size(); i += 3) {
      const Point to = i + 3 < points.size() ? points[i + 2] : end;
      if (is_straight(points, i)) list_.PathLineTo(at(to));
      else list_.PathBezierCubicCurveTo(at(points[i]), at(points[i + 1]), at(to));
    }
  }

  void path(const Mark& mark) {
    if (mark.points.empty()) return;
    if (mark.fill) {
      trace(mark.points, mark.points.back());
      list_.PathFillConvex(ink(*mark.fill));
    }
    if (!mark.stroke) return;
    const ImU32 color = ink(*mark.stroke);
    const bool arrow = mark.arrow && mark.points.size() >= 4;
    trace(mark.points, arrow ? end_under_head(mark.points, mark.line_width) : mark.points.back());
    if (mark.dotted) dotted(color, stroke(mark));
    else list_.PathStroke(color, mark.closed ? ImDrawFlags_Closed : 0, stroke(mark));
    if (!arrow) return;
    const auto head = arrow_head(mark.points, mark.line_width);
    list_.AddTriangleFilled(at(head[0]), at(head[1]), at(head[2]), color);
  }

  // Dashes along the path that trace() has laid.
  void dotted(ImU32 color, float width) {
    const float dash = std::max(2.0F, length(2)), gap = std::max(3.0F, length(4));
    dots_.assign(list_._Path.begin(), list_._Path.end());
    list_.PathClear();
    add_dashes(list_, dots_, color, width, dash, gap);
  }

  void text(const Mark& mark) {
    if (mark.text.empty() || !mark.fill) return;
    const Look::Face& face = this->face(mark.font);
    if (face.font == nullptr || face.size < 4) return;
    const float width = mark.anchor == Anchor::start ? 0 : face.extent(mark.text).x;
    const float before = before_anchor(mark.anchor, width);
    ImVec2 origin = at(mark.origin);
    (mark.rotated == 0 ? origin.y : origin.x) += static_cast<float>(lowered(mark));
    const int first = list_.VtxBuffer.Size;
    // Dear ImGui leaves out letters beside the clip rectangle, where those to be turned may lie before they are.
    const ImVec2 low = list_.GetClipRectMin();
    const ImVec2 from = mark.rotated == 0 ? origin : ImVec2{low.x + before, low.y + face.ascent};
    face.draw(list_, {from.x - before, from.y - face.ascent}, text_ink(*mark.fill), mark.text);
    if (mark.rotated == 0) return;
    for (int i = first; i < list_.VtxBuffer.Size; ++i) {  // by -90 degrees about the origin
      ImVec2& p = list_.VtxBuffer[i].pos;
      p = {origin.x + (p.y - from.y), origin.y - (p.x - from.x)};
    }
  }

  ImDrawList& list_;
  const Look& look_;
  const ScenePlace& place_;
  Box visible_;
  double strength_ = 1;
  Point moved_;
  bool strong_ = false;
  std::vector<ImVec2> dots_;
  struct Mixed {
    Ink ink;
    double strength = 1;
    ImU32 color = 0;
    bool known = false;
  };
  std::array<Mixed, 128> inks_{};
  std::vector<std::pair<Font, Look::Face>> faces_;
  std::vector<bool> chosen_;  ///< By mark; empty where all texts are large enough.
};

double distance_to(const Mark& mark, Point p) {
  if (mark.kind != Mark::Kind::path) {
    const double dx = std::max({mark.box.x - p.x, 0.0, p.x - mark.box.right()});
    const double dy = std::max({mark.box.y - p.y, 0.0, p.y - mark.box.bottom()});
    return std::hypot(dx, dy);
  }
  if (!mark.box.grown(8).contains(p)) return 1e9;
  double nearest = 1e9;
  const auto look_at = [&](Point from, Point to) {
    const double dx = to.x - from.x, dy = to.y - from.y, square = dx * dx + dy * dy;
    const double t =
        square <= 0 ? 0
                    : std::clamp(((p.x - from.x) * dx + (p.y - from.y) * dy) / square, 0.0, 1.0);
    nearest = std::min(nearest, std::hypot(from.x + t * dx - p.x, from.y + t * dy - p.y));
  };
  constexpr int kPieces = 16;  // of a curve
  const auto& points = mark.points;
  for (std::size_t i = 1; i + 2 < points.size(); i += 3) {
    const int pieces = is_straight(points, i) ? 1 : kPieces;
    Point from = points[i - 1];
    for (int k = 1; k <= pieces; ++k) {
      const Point to =
          k == pieces ? points[i + 2]
                      : bezier(std::span(points).subspan(i - 1), static_cast<double>(k) / pieces);
      look_at(from, to);
      from = to;
    }
  }
  return nearest;
}

// The shift of the labels of a moving group.
struct Shift {
  std::int32_t group = -1;
  Point by;
  const MovingMessage* who = nullptr;
};

std::vector<Shift> shifts_of(const Scene& scene, const PaintOptions& options) {
  std::vector<Shift> shifts;
  if (options.moving_messages == nullptr || options.now < 0) return shifts;
  for (const MovingMessage& one : *options.moving_messages) {
    const Group& group = scene.groups[static_cast<std::size_t>(one.group)];
    if (options.now <= group.begin || options.now >= group.end || one.label.empty()) continue;
    const Point at = place_at(scene, one, options.now);
    const Point from = scene.marks[one.label.front()].box.center();
    shifts.push_back({one.group, {at.x - from.x, at.y - from.y}, &one});
  }
  ranges::sort(shifts, {}, &Shift::group);
  return shifts;
}

double strength_of(const Look& look, const Scene& scene, const PaintOptions& options,
                   std::int32_t group) {
  if (group < 0) return 1;
  const auto at = static_cast<std::size_t>(group);
  const bool ahead = scene.groups[at].ahead(options.now);
  const bool dimmed = at < options.emphasis.size() && options.emphasis[at] == Emphasis::dimmed;
  return std::min(ahead ? look.theme().future() : 1, dimmed ? kDimmed : 1);
}

bool is_strong(const PaintOptions& options, std::int32_t group) {
  const auto at = static_cast<std::size_t>(group);
  return group >= 0 && (group == options.hovered || group == options.selected ||
                        (at < options.emphasis.size() && options.emphasis[at] == Emphasis::strong));
}

}  // namespace

void paint_moving_labels(ImDrawList& list, const Scene& scene, const Look& look,
                         const ScenePlace& place, const PaintOptions& options) {
  ScenePainter painter(list, look, place);
  std::vector<Box> taken;  // where two meet, one of them has its name
  std::vector<const Shift*> named;
  const auto shifts = shifts_of(scene, options);
  const auto take = [&](const Shift& shift) {
    painter.strength(strength_of(look, scene, options, shift.group));
    painter.emphasis(is_strong(options, shift.group));
    painter.moved(shift.by);
  };
  for (const Shift& shift : shifts) {
    const Mark& pill = scene.marks[shift.who->label.front()];
    Box box = pill.box;
    box.x += shift.by.x;
    box.y += shift.by.y;
    const bool free =
        ranges::none_of(taken, [&](const Box& other) { return other.overlaps(box.grown(-1)); });
    if (free || pill.kind != Mark::Kind::box || !pill.fill) {
      taken.push_back(box);
      named.push_back(&shift);
      continue;
    }
    take(shift);
    painter.dot(pill.box.center(), *pill.fill);
  }
  for (const Shift* shift : named) {
    take(*shift);
    for (const std::size_t mark : shift->who->label) painter.paint(scene.marks[mark]);
  }
}

void paint(ImDrawList& list, const Scene& scene, const Look& look, const ScenePlace& place,
           const PaintOptions& options) {
  ScenePainter painter(list, look, place);
  painter.choose_texts(scene);
  const auto shifts = shifts_of(scene, options);
  const auto shift_of = [&](std::size_t mark, std::int32_t group) -> const Shift* {
    for (auto shift = ranges::lower_bound(shifts, group, {}, &Shift::group);
         shift != shifts.end() && shift->group == group; ++shift)
      if (ranges::find(shift->who->label, mark) != shift->who->label.end()) return &*shift;
    return nullptr;
  };
  const auto elsewhere = [&](std::int32_t group) {
    return ranges::find(options.moved, group, [](const auto& one) { return one.first; });
  };
  for (std::size_t i = 0; i < scene.marks.size(); ++i) {
    const Mark& mark = scene.marks[i];
    const std::int32_t g = mark.group;
    if (painter.leaves_out(i) || (g >= 0 && elsewhere(g) != options.moved.end())) continue;
    const Shift* const shift = shifts.empty() || g < 0 ? nullptr : shift_of(i, g);
    if (shift != nullptr && options.without_moving_labels) continue;
    painter.strength(strength_of(look, scene, options, g));
    painter.emphasis(is_strong(options, g));
    painter.moved(shift != nullptr ? shift->by : Point{});
    painter.paint(mark);
  }
  if (options.moved.empty()) return;
  for (const Mark& mark : scene.marks) {
    const auto at = mark.group < 0 ? options.moved.end() : elsewhere(mark.group);
    if (at == options.moved.end()) continue;
    const auto number = static_cast<std::size_t>(mark.group);
    const bool pale =
        number < options.emphasis.size() && options.emphasis[number] == Emphasis::dimmed;
    painter.strength(pale ? kDimmed : 1);
    painter.emphasis(false);
    painter.moved(at->second);
    painter.paint(mark);
  }
}

void add_dashes(ImDrawList& list, std::span<const ImVec2> line, ImU32 color, float width,
                float dash, float gap) {
  float gone = 0;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const ImVec2 a = line[i - 1], b = line[i];
    const float size = std::hypot(b.x - a.x, b.y - a.y);
    if (size <= 0 || size > 20000) continue;
    for (float at = 0; at < size;) {
      const float phase = std::fmod(gone + at, dash + gap);
      const float next =
          std::min(size, at + (phase < dash ? dash - phase : dash + gap - phase) + 0.01F);
      if (phase < dash)
        list.AddLine({a.x + (b.x - a.x) * at / size, a.y + (b.y - a.y) * at / size},
                     {a.x + (b.x - a.x) * next / size, a.y + (b.y - a.y) * next / size}, color,
                     width);
      at = next;
    }
    gone += size;
  }
}

std::int32_t group_at(const Scene& scene, Point point, double tolerance) {
  std::int32_t best = -1;
  double nearest = tolerance;
  for (const Mark& mark : scene.marks) {
    if (mark.group < 0 || scene.groups[static_cast<std::size_t>(mark.group)].story.empty())
      continue;
    const double distance = distance_to(mark, point);
    if (distance > nearest) continue;
    nearest = distance;
    best = mark.group;
  }
  return best;
}

std::int32_t group_named(const Scene& scene, std::string_view id) {
  const auto found = ranges::find(scene.groups, id, &Group::id);
  return found == scene.groups.end() ? -1 : static_cast<std::int32_t>(found - scene.groups.begin());
}

}  // namespace rankscope::gui
