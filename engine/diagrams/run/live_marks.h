// The marks of a run that is held: each rank's state, and the messages that can be released.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {

/// A message that its rank's gate holds.
struct LiveOffer {
  Rank from = -1, to = -1;
  std::uint16_t strand = 0;
  std::uint64_t bytes = 0;
  std::size_t planned = ~std::size_t{0};  ///< Its number in the plan; the largest value if unknown.
  std::string story;
  /// Returns the id of its group in a scene: "offer-2-0".
  std::string id() const { return "offer-" + std::to_string(from) + "-" + std::to_string(strand); }
};

struct LiveBadge {
  enum class Kind : std::uint8_t {
    none,
    held,
    waits,
    computing,
    done,
    dead,
    asked,   ///< The user has not said yet whether this rank can move.
    chosen,  ///< The user says that it can move.
    right,   ///< It was chosen, and can move.
    missed,  ///< It can move, but was not chosen.
    wrong,   ///< It was chosen, but cannot move.
  };
  Kind kind = Kind::none;
  std::string text;   ///< "waits for 2"
  std::string story;  ///< For hover.
};

struct LiveMarks {
  std::vector<LiveBadge> badges;  ///< By rank; empty if none.
  std::vector<LiveOffer> offers;
  bool any() const noexcept { return !badges.empty() || !offers.empty(); }
  const LiveBadge* badge(Rank rank) const noexcept {
    const auto at = static_cast<std::size_t>(rank);
    return at < badges.size() && badges[at].kind != LiveBadge::Kind::none ? &badges[at] : nullptr;
  }
};

/// Draws the sign alone, where words have no room.
void badge_sign(Drawing& pen, LiveBadge::Kind kind, Point center, double radius);
double badge_width(const LiveBadge& badge, const Font& font, const Ruler& ruler);
/// Draws the sign and the words; `right` is the middle of their right edge.
void badge(Drawing& pen, const LiveBadge& badge, Point right, const Font& font);
double widest_badge(int ranks, const Font& font, const Ruler& ruler);

}  // namespace rankscope
