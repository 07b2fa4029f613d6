// Finds room for the paths of a wrong value, and draws them with the cards and the sum.
#include "engine/diagrams/stage/stage_wrong.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/stage/stage_cards.h"

namespace rankscope {
namespace {

constexpr double kPillHeight = 22, kPillsApart = 8, kMiniSlot = 9;
constexpr std::size_t kMostWays = 16;
constexpr Font kStepFont{12, Font::Weight::regular, false};

Font figures(double size) { return {size, Font::Weight::semibold, false}; }

}  // namespace

StageWrong::StageWrong(const StageLayout& layout, const meant::WrongValue& value,
                       const Ruler& ruler)
    : layout_(layout), value_(value), ruler_(ruler), world_(static_cast<int>(value.places.size())) {
  if (world_ == 0 || world_ != static_cast<int>(layout.cards.size()) || world_ > 8) return;
  // The largest cards that leave room for the sum, else the largest that fit.
  const auto usual = layout_.cards;
  for (const bool with_sum : {true, false})
    for (const Box& size : {Box{0, 0, 236, 96}, Box{0, 0, 204, 80}, Box{0, 0, 190, 74},
                            Box{0, 0, 150, 62}, Box{0, 0, 124, 56}}) {
      if (fits_) break;
      layout_.cards = usual;
      fits_ = place_cards(size);
      if (fits_) place_sum();
      fits_ = fits_ && (!with_sum || value_.inputs.empty() || size_ > 0);
    }
  if (!fits_) return;
  std::size_t longest = 0;
  for (const auto& hop : value_.hops) longest = std::max(longest, number(hop.carried).size());
  pill_width_ = 16 + ruler_.width("step 10", kStepFont) + 8 + world_ * (kMiniSlot + 2) +
                (longest > 0 ? 8 + ruler_.width(std::string(longest, '0'), figures(13)) : 0);
  brief_width_ = 16 + ruler_.width("10: ", kStepFont) +
                 ruler_.width(std::string(std::max<std::size_t>(longest, 1), '0'), figures(13));
  if (value_.keeper >= 0) add_way(nullptr, value_.keeper, value_.result.rank);
  if (value_.hops.size() <= kMostWays)
    for (const auto& hop : value_.hops) add_way(&hop, hop.from, hop.to);
  else
    for (const auto& hop : value_.hops)
      if (hop.at_fault || hop.to == value_.result.rank) add_way(&hop, hop.from, hop.to);
}

// Spreads the cards over the whole area as they are arranged on the stage. Returns false if they overlap.
bool StageWrong::place_cards(const Box& size) {
  const Box& area = layout_.area;
  if (size.width > area.width || size.height > area.height) return false;
  Box all{layout_.cards[0].center().x, layout_.cards[0].center().y, 0, 0};
  for (const Box& card : layout_.cards) all = united(all, {card.center().x, card.center().y, 0, 0});
  std::vector<Box> cards;
  for (const Box& card : layout_.cards) {
    const double x = all.width > 0 ? (card.center().x - all.x) / all.width : 0.5,
                 y = all.height > 0 ? (card.center().y - all.y) / all.height : 0.5;
    cards.push_back({std::round(area.x + x * (area.width - size.width)),
                     std::round(area.y + y * (area.height - size.height)), size.width,
                     size.height});
    for (std::size_t i = 0; i + 1 < cards.size(); ++i)
      if (cards[i].overlaps(cards.back().grown(1.5))) return false;
  }
  layout_.cards = std::move(cards);
  layout_.groups.clear();
  return true;
}

Ink StageWrong::hue() const {
  return value_.chunk < 0 ? Ink{Tone::whole} : Ink{Tone::chunk, value_.chunk};
}

std::string StageWrong::number(const account::Shares& shares) const {
  return value_.inputs.empty() || !shares.known() ? ""
                                                  : fmt::format("{:.6g}", value_.value_of(shares));
}

// Returns a rank's part of the sum: "20", "2 × 20".
std::string StageWrong::term(Rank rank, int times) const {
  const std::string input = fmt::format("{:.6g}", value_.inputs[static_cast<std::size_t>(rank)]);
  return times > 1 ? fmt::format("{} × {}", times, input) : input;
}

double StageWrong::column_of(const Font& font) const {
  const auto& held = value_.places[static_cast<std::size_t>(value_.result.rank)].held;
  double column = ruler_.width("00", font);
  for (Rank rank = 0; rank < world_; ++rank)
    column = std::max(column, ruler_.width(term(rank, held.times(rank)), font));
  return column;
}

// Places the sum in the middle of the cards, in the largest figures that fit.
void StageWrong::place_sum() {
  sum_ = {};
  size_ = 0;
  if (value_.inputs.empty() || !layout_.around) return;
  for (const double size : {28.0, 21.0, 16.0, 14.0}) {
    const double column = column_of(figures(size));
    const double plus = ruler_.width(" + ", figures(size));
    const double left = ruler_.width("expected", kBody) + 16 +
                        ruler_.width(value_.result.expected, figures(size)) + 2 * plus;
    const double width = left + world_ * (column + plus) - plus, height = 24 + 2.7 * size;
    const Box box = Box::around(layout_.area.center(), width, height);
    if (ranges::any_of(layout_.cards, [&](const Box& card) { return card.overlaps(box.grown(6)); }))
      continue;
    sum_ = box;
    size_ = size;
    return;
  }
}

Box StageWrong::pill_at(const StagePath& path, double width) {
  return Box::around(bezier(path.curve, 0.5), width, kPillHeight);
}

bool StageWrong::is_free(const StagePath& path, const Box& pill) const {
  if (!pill.inside(layout_.area.grown(6)) || pill.overlaps(sum_.grown(4))) return false;
  if (passes(path.curve, sum_)) return false;
  return ranges::none_of(layout_.cards,
                         [&](const Box& card) { return card.overlaps(pill.grown(2)); }) &&
         ranges::none_of(ways_, [&](const Way& other) {
           return other.pill.overlaps(pill.grown(kPillsApart)) || passes(other.path.curve, pill) ||
                  passes(path.curve, other.pill);
         });
}

// Adds the first path with room for its words, else the plainest one without words.
void StageWrong::add_way(const meant::WrongValue::Hop* hop, Rank from, Rank to) {
  std::vector<StagePath> all;
  for (const bool beside : {false, true})
    for (const double width : {pill_width_, brief_width_}) {
      const auto some = stage_paths(layout_, from, to, width, kPillHeight, beside);
      all.insert(all.end(), some.begin(), some.end());
    }
  for (const double width : {pill_width_, brief_width_})
    for (const StagePath& path : all)
      if (path.cost < 1 && is_free(path, pill_at(path, width)))
        return void(ways_.push_back({hop, path, pill_at(path, width)}));
  ways_.push_back({hop, all.front(), {}});
}

void StageWrong::draw(Drawing& pen) const {
  for (const bool pills : {false, true})
    for (const Way& one : ways_) way(pen, one, pills);
  for (Rank rank = 0; rank < world_; ++rank) card(pen, rank);
  if (size_ > 0) sum(pen);
  pen.group(-1);
}

void StageWrong::slots(Drawing& pen, const account::Shares& shares, Box first, double pitch,
                       bool digits) const {
  const double radius = std::min(4.0, first.width / 4);
  const Font font{first.height > 24 ? 14.0 : 12.0, Font::Weight::semibold, false};
  for (Rank rank = 0; rank < world_; ++rank, first.x += pitch) {
    const int times = shares.times(rank);
    const std::string name = digits ? fmt::format("{}", rank) : "";
    if (times > 1) {  // a second slot shows behind the first
      const Box behind{first.x + 4, first.y - 4, first.width, first.height};
      pen.box(behind, hue(), Ink{Tone::error}, radius, 1.5);
    }
    if (times > 0)
      pen.box(first, hue(), times > 1 ? Ink{Tone::error} : Ink{Tone::muted}, radius,
              times > 1 ? 2 : 1);
    else pen.box(first, Ink{Tone::page}, Ink{Tone::grid}, radius);
    if (times > 0 && digits) pen.level(name, first.center(), font, text_on(hue()));
  }
}

// "4 + 3 in step 1, copied in step 5"
std::string StageWrong::history(Rank rank) const {
  std::string text;
  int last = 0;
  for (const auto& hop : value_.hops) {
    if (hop.to != rank) continue;
    const std::string own = number(hop.before), came = number(hop.carried);
    const std::string how = !hop.adds     ? "copied"
                            : own.empty() ? "added"
                                          : fmt::format("{} + {}", own, came);
    text += fmt::format("{}{} in step {}", text.empty() ? "" : ", ", how, hop.round);
    last = hop.round;
  }
  if (last == 0) return "nothing arrives";
  if (rank == value_.result.rank && value_.keeper >= 0) text += ", then nothing arrives";
  return text;
}

void StageWrong::card(Drawing& pen, Rank rank) const {
  const Box& box = layout_.cards[static_cast<std::size_t>(rank)];
  const auto& place = value_.places[static_cast<std::size_t>(rank)];
  const bool wrong = place.wrong, last = rank == value_.keeper;
  const bool right = place.right_since >= 0;
  pen.new_group(
      Group{fmt::format("rank-{}", rank), fmt::format("rank {}\n{}", rank, history(rank))});
  pen.box(box, Ink{Tone::panel},
          wrong  ? Ink{Tone::error}
          : last ? Ink{Tone::text}
                 : Ink{Tone::grid},
          8, wrong || last ? 2 : 1);
  const double pad = 10, left = box.x + pad, edge = box.right() - pad;
  const Point head{left, box.y + 16};
  const Box tile = pen.rank_tile(fmt::format("{}", rank), {left + 11, head.y}, kBodyStrong);
  const std::string state = wrong   ? "wrong"
                            : last  ? "last right place"
                            : right ? fmt::format("right since step {}", place.right_since)
                                    : "incomplete";
  const Font font = wrong || last ? kCaptionStrong : kCaption;
  if (ruler_.width(state, font) <= edge - tile.right() - 6)
    pen.level(state, {edge, head.y}, font,
              {wrong  ? Tone::error
               : last ? Tone::text
                      : Tone::muted},
              Anchor::end);
  const std::string words = history(rank);
  const bool told = box.height >= 74 && ruler_.width(words, kCaption) <= edge - left;
  const double top = box.y + 30,
               height = std::clamp(box.bottom() - top - (told ? 26 : 8), 16.0, 32.0);
  const std::string value = rank == value_.result.rank ? value_.result.got : number(place.held);
  const Font large = figures(height > 26 ? 21 : 16);
  double x = left;
  if (value_.chunk >= 0) {
    const std::string name = fmt::format("c{}", value_.chunk);
    pen.level(name, {x, top + height / 2}, kCaptionStrong, {Tone::text}, Anchor::start);
    x += ruler_.width(name, kCaptionStrong) + 8;
  }
  const double room = edge - x - (value.empty() ? 0 : ruler_.width(value, large) + 8);
  const double pitch = std::min(room / world_, height * 1.2);
  slots(pen, place.held, {x, top, pitch - 3, height}, pitch, pitch > 14);
  if (wrong)
    for (Rank lacks = 0; lacks < world_; ++lacks) {
      if (place.held.times(lacks) > 0) continue;
      const Box slot{x + lacks * pitch, top, pitch - 3, height};
      pen.box(slot, Ink{Tone::page}, Ink{Tone::error}, 4, 2).dotted = true;
      if (pitch > 14)
        pen.level(fmt::format("{}", lacks), slot.center(), kCaptionStrong, {Tone::error});
    }
  if (right) pen.box(Box{x, top, world_ * pitch - 3, height}.grown(2), {}, Ink{Tone::text}, 5, 1.5);
  if (!value.empty())
    pen.level(value, {edge, top + height / 2}, large, {wrong ? Tone::error : Tone::text},
              Anchor::end);
  if (told) pen.level(words, {left, box.bottom() - 13}, kCaption, {Tone::muted}, Anchor::start);
}

// Draws a path's line, or (`pills`) its words, which are drawn after all lines so that none crosses them.
void StageWrong::way(Drawing& pen, const Way& one, bool pills) const {
  const bool lost = one.hop == nullptr, fault = lost || one.hop->at_fault;
  if (!lost)
    pen.new_group(
        Group{fmt::format("m{}", one.hop->message), fmt::format("step {}", one.hop->round)});
  const Ink ink = fault ? Ink{Tone::error} : one.hop->adds ? hue() : Ink{Tone::text};
  if (!pills) {
    Mark& line = pen.path(one.path.line(), ink, 2);
    line.arrow = !lost;
    line.dotted = lost;
    if (lost) pen.cross(one.path.arrives, 6);
  }
  if (!pills || one.pill.empty()) return;
  const Box& pill = one.pill;
  pen.box(pill, Ink{Tone::page}, ink, 6, fault ? 2 : 1.5).dotted = lost;
  const std::string carried = lost ? "" : number(one.hop->carried);
  if (lost || pill.width < pill_width_) {
    const std::string step = lost ? "" : fmt::format("{}", one.hop->round);
    pen.level(!lost                       ? carried.empty() ? step : step + ": " + carried
              : pill.width >= pill_width_ ? "lost here · never sent"
                                          : "lost",
              pill.center(), kCaptionStrong, {fault ? Tone::error : Tone::text});
    return;
  }
  const Ink words{fault ? Tone::error : Tone::muted};
  pen.level(fmt::format("step {}", one.hop->round), {pill.x + 8, pill.center().y}, kStepFont, words,
            Anchor::start);
  const double x = pill.x + 16 + ruler_.width("step 10", kStepFont);
  slots(pen, one.hop->carried, {x, pill.center().y - 6, kMiniSlot, 12}, kMiniSlot + 2, false);
  if (!carried.empty())
    pen.level(carried, {pill.right() - 8, pill.center().y}, figures(13),
              {fault ? Tone::error : Tone::text}, Anchor::end);
}

void StageWrong::sum(Drawing& pen) const {
  const auto& held = value_.places[static_cast<std::size_t>(value_.result.rank)].held;
  const Font font = figures(size_);
  const double plus = ruler_.width(" + ", font);
  const double column = column_of(font);
  const double figures_end =
      sum_.x + ruler_.width("expected", kBody) + 16 + ruler_.width(value_.result.expected, font);
  const double first = figures_end + 2 * plus + column / 2;
  const double above = sum_.y + 24 + size_ * 0.6, below = above + 1.4 * size_;
  pen.new_group(Group{"sum", value_.what});
  pen.box(sum_.grown(2), Ink{Tone::page});  // covers paths that cross it
  for (const bool found : {false, true}) {
    const double y = found ? below : above;
    const Ink ink{found ? Tone::error : Tone::text};
    pen.level(found ? "found" : "expected", {sum_.x, y}, kBody, {found ? Tone::error : Tone::muted},
              Anchor::start);
    pen.level(found ? value_.result.got : value_.result.expected, {figures_end, y}, font, ink,
              Anchor::end);
    pen.level("=", {figures_end + plus, y}, font, {Tone::muted});
    for (Rank rank = 0; rank < world_; ++rank) {
      const double x = first + rank * (column + plus);
      if (rank > 0) pen.level("+", {x - (column + plus) / 2, y}, font, {Tone::muted});
      const int times = found ? held.times(rank) : 1;
      if (times == 0)
        pen.box({x - column / 2, y - size_ * 0.5, column, size_}, {}, Ink{Tone::error}, 3, 2)
            .dotted = true;
      else pen.level(term(rank, times), {x, y}, font, ink);
      if (!found) pen.rank_tile(fmt::format("{}", rank), {x, sum_.y + 10});
    }
  }
}

}  // namespace rankscope
