// Draws where a rank stands while its run is held: a small sign, and words where there is room.
#pragma once

#include "engine/diagrams/live_marks.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {

/// Alone, where words have no room.
void badge_sign(Drawing& pen, LiveBadge::Kind kind, Point center, double radius);
double badge_width(const LiveBadge& badge, const Font& font, const Ruler& ruler);
/// The sign and the words; at their right end, at half their height, is `right`.
void badge(Drawing& pen, const LiveBadge& badge, Point right, const Font& font);
/// No badge is wider, of so many ranks.
double widest_badge(int ranks, const Font& font, const Ruler& ruler);

}  // namespace rankscope
