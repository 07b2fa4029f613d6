// The marks of ranks that are held while they run: where each stands, and the messages on offer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {

/// A message that its rank's gate holds: it can be released.
struct LiveOffer {
  Rank from = -1, to = -1;
  std::uint16_t strand = 0;
  std::uint64_t bytes = 0;
  std::size_t planned = ~std::size_t{0};  ///< Its number in the plan; the largest: not known.
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
    asked,   ///< Nobody has said whether this rank can move.
    chosen,  ///< Somebody says that it can.
    right,   ///< And it can.
    missed,  ///< It can, and nobody said so.
    wrong,   ///< It was chosen, and cannot.
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

/// Alone, where words have no room.
void badge_sign(Drawing& pen, LiveBadge::Kind kind, Point center, double radius);
double badge_width(const LiveBadge& badge, const Font& font, const Ruler& ruler);
/// The sign and the words; at their right end, at half their height, is `right`.
void badge(Drawing& pen, const LiveBadge& badge, Point right, const Font& font);
/// No badge is wider, of so many ranks.
double widest_badge(int ranks, const Font& font, const Ruler& ruler);

}  // namespace rankscope
