// Draws the signs of ranks that are held, wait, compute or are dead, each with its own form, not only a colour.
#include "engine/diagrams/run/live_marks.h"

#include <algorithm>

#include <fmt/format.h>

namespace rankscope {
namespace {

using Kind = LiveBadge::Kind;

Ink ink_of(Kind kind) {
  switch (kind) {
    case Kind::dead: return {Tone::error};
    case Kind::chosen: return {Tone::accent};
    case Kind::right:
    case Kind::missed: return {Tone::good};
    case Kind::held:
    case Kind::computing: return {Tone::text};
    default: return {Tone::muted};
  }
}

void ring(Drawing& pen, Point at, double radius, Ink ink) {
  pen.circle(at, radius, Ink{Tone::panel}, ink).line_width = std::max(1.2, radius * 0.3);
}

}  // namespace

void badge_sign(Drawing& pen, Kind kind, Point at, double radius) {
  const Ink ink = ink_of(kind);
  const double r = radius, width = std::max(1.4, radius * 0.4);
  switch (kind) {
    case Kind::none: return;
    case Kind::held:
      for (const double side : {-0.55, 0.55})
        pen.line({at.x + side * r, at.y - r}, {at.x + side * r, at.y + r}, ink, width);
      return;
    case Kind::computing:
    case Kind::chosen: pen.circle(at, r, ink); return;
    case Kind::waits:
    case Kind::asked:
    case Kind::missed: ring(pen, at, r * 0.9, ink); return;
    case Kind::done:
    case Kind::right:
      pen.line({at.x - r, at.y}, {at.x - 0.3 * r, at.y + 0.8 * r}, ink, width);
      pen.line({at.x - 0.3 * r, at.y + 0.8 * r}, {at.x + r, at.y - 0.8 * r}, ink, width);
      return;
    case Kind::dead:
    case Kind::wrong:
      pen.line({at.x - 0.8 * r, at.y - 0.8 * r}, {at.x + 0.8 * r, at.y + 0.8 * r}, ink, width);
      pen.line({at.x - 0.8 * r, at.y + 0.8 * r}, {at.x + 0.8 * r, at.y - 0.8 * r}, ink, width);
      return;
  }
}

double badge_width(const LiveBadge& badge, const Font& font, const Ruler& ruler) {
  return ruler.width(badge.text, font) + font.size;
}

void badge(Drawing& pen, const LiveBadge& badge, Point right, const Font& font) {
  const bool strong = badge.kind == Kind::dead;
  pen.level(badge.text, right, font, strong ? Ink{Tone::error} : Ink{Tone::text}, Anchor::end);
  badge_sign(pen, badge.kind, {right.x - pen.width(badge.text, font) - font.size * 0.65, right.y},
             font.size * 0.32);
}

double widest_badge(int ranks, const Font& font, const Ruler& ruler) {
  double widest = 0;
  for (const std::string& text :
       {fmt::format("waits for {}", std::max(ranks - 1, 0)), std::string("computing"),
        std::string("could move"), std::string("cannot move")})
    widest = std::max(widest, ruler.width(text, font));
  return widest + font.size;
}

}  // namespace rankscope
