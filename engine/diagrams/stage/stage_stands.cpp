// Draws where a rank stands on its card while its run is held, and says what a row of slots is.
#include <algorithm>

#include <fmt/format.h>

#include "engine/diagrams/stage/stage_cards.h"

namespace rankscope {

// In words at the right of its name, else as a sign, in the corner where the card has no room for either.
void StageCards::stands(Rank rank, const Box& card, const LiveBadge& stands) {
  const double y = card.y + (style_.bars < 0 ? card.height : style_.head) / 2 +
                   (style_.words ? 2 * style_.scale : 0);
  const Font font = letters(kCaptionStrong);
  const Point right{card.right() - style_.pad, y};
  if (style_.named && style_.numbered) {
    const double name = pen_.width(fmt::format("rank {}", rank), letters(kBodyStrong));
    const double free = card.width - 2 * style_.pad - name - 8 * style_.scale;
    if (badge_width(stands, font, pen_.ruler()) <= free) return badge(pen_, stands, right, font);
    if (free >= 10) return badge_sign(pen_, stands.kind, {right.x - 5, y}, 4 * style_.scale);
  }
  const double radius = std::clamp(card.width / 8, 2.5, 4.0);
  const Point corner{card.right() - radius / 2, card.y + radius / 2};
  pen_.circle(corner, radius + 2.5, Ink{Tone::page}, Ink{Tone::grid});
  badge_sign(pen_, stands.kind, corner, radius);
}

void StageCards::hint(Point at, double room) {
  if (style_.bars != 0 || layout_.rows == 0 || values_) return;
  const std::string words =
      fmt::format("Each {} is {}", style_.columns > 0 ? "cell" : "row",
                  model_.reduces() ? "one sum: its slots show whose parts are in it"
                                   : "a chunk of its own: nothing is added");
  if (pen_.width(words, kCaption) <= room)
    pen_.text(words, at, kCaption, {Tone::muted}, Anchor::end);
}

}  // namespace rankscope
