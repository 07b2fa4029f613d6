// Draws the circle, the window beside it, and what travels in both.
#include "engine/diagrams/stage/stage_many.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/stage/stage_styles.h"

namespace rankscope {
namespace {

using Times = StageTimes;

constexpr double kOutside = 20, kWedge = 0.28;        // of the radius
constexpr double kLeastWide = 560, kLeastHigh = 170;  // room for both halves
constexpr double kPanelHead = 30, kInside = 14, kFarHigh = 20, kLaneHigh = 46, kTwoLines = 38,
                 kGapWide = 66;
constexpr double kLeastCard = 44, kActivity = 18, kHigher = 2.5;
constexpr int kNumbered = 8;  // every eighth rank

double way_of(double share) { return eased(share_between(share, Times::lifted, Times::docked)); }

bool travels(double share) { return share > 0 && share < Times::landed; }

}  // namespace

StageMany::StageMany(StageModel& model, const Box& area, const Ruler& ruler)
    : model_(model), ruler_(ruler) {
  const double wide = std::min(area.height, 0.36 * area.width);
  circle_ = {area.x, area.center().y - wide / 2, wide, wide};
  panel_ = {circle_.right() + 16, area.y, area.right() - circle_.right() - 16, area.height};
  const int n = model.world();
  int furthest = 0;
  for (int round = 1; round <= model.rounds(); ++round)
    for (const StageCargo& cargo : model.round(round).cargo)
      furthest = std::max(furthest, rank_distance(cargo.from, cargo.to, n));
  neighbours_ = furthest == 1;
  near_ = furthest <= n / 8;
}

std::unique_ptr<StageMany> StageMany::made(StageModel& model, const Box& area, const Ruler& ruler) {
  if (model.world() <= StageForms::partners || model.chunks() == 0 || area.width < kLeastWide ||
      area.height < kLeastHigh)
    return nullptr;
  std::unique_ptr<StageMany> many(new StageMany(model, area, ruler));
  if (!many->find_cards()) return nullptr;
  many->place({});
  many->first_ = many->layout_.cards;
  return many;
}

/// Finds the largest cards that have room: five, unless three are much larger.
bool StageMany::find_cards() {
  constexpr double kMuchLarger = 1.4;
  const double above = kPanelHead + (neighbours_ ? 0 : kFarHigh + kLaneHigh);
  const double high = panel_.height - above - kActivity - kInside;
  layout_.rows = model_.chunks();
  layout_.slots = model_.slots();
  reach_ = 0;
  for (const int reach : {2, 1}) {
    const int count = 2 * reach + 1;
    const double gaps = (count - 1 + (neighbours_ ? 2 : 0)) * kGapWide;
    const double wide = (panel_.width - 2 * kInside - gaps) / count;
    const double least = reach_ == 0 ? kLeastCard : kMuchLarger * layout_.style.width;
    const auto found = [&](const StageStyle& style) {
      return ranges::any_of(kStageScales, [&](double scale) {
        const StageStyle now = measured_style(style, model_, {}, scale, ruler_);
        if (now.dot || now.width > wide || now.height > high || now.width < least) return false;
        layout_.style = now;
        reach_ = reach;
        return true;
      });
    };
    (void)ranges::any_of(stage_styles(model_, false), found);
  }
  // Cells that are filled as far as all parts are in them may be higher than they are wide.
  StageStyle& style = layout_.style;
  if (reach_ > 0 && style.columns > 0) {
    const int lines = (model_.chunks() + style.columns - 1) / style.columns;
    const double more = std::clamp((high - style.height) / lines, 0.0, kHigher * style.slot_height);
    style.slot_height += more;
    style.pitch += more;
    style.height += std::floor(lines * more);
  }
  return reach_ > 0;
}

void StageMany::place(const SceneChoice& focus) {
  const int n = model_.world();
  Rank middle = reach_;
  if (focus.rank >= 0) middle = focus.rank;
  if (focus.message >= 0)
    middle = model_.analysis().messages().at(static_cast<std::size_t>(focus.message)).to;
  std::vector<Rank> window;
  for (int i = -reach_; i <= reach_; ++i) window.push_back((middle + i + n) % n);
  if (window_ == window) return;
  window_ = std::move(window);
  kept_.clear();
  const StageStyle& style = layout_.style;
  const auto count = static_cast<double>(window_.size());
  const double above = kPanelHead + (neighbours_ ? 0 : kFarHigh + kLaneHigh);
  const double room = panel_.height - above - kActivity - kInside;
  const double inset = kInside + (neighbours_ ? kGapWide : 0);
  const double pitch = (panel_.width - 2 * inset) / count;
  layout_.cards.assign(static_cast<std::size_t>(n), {-1, -1, 0, 0});
  for (std::size_t i = 0; i < window_.size(); ++i)
    layout_.cards[static_cast<std::size_t>(window_[i])] = {
        std::floor(panel_.x + inset + (static_cast<double>(i) + 0.5) * pitch - style.width / 2),
        std::floor(panel_.y + above + (room - style.height) / 2), style.width, style.height};
}

Point StageMany::on_circle(double rank, double radius) const {
  const double angle = 2 * std::numbers::pi * rank / model_.world() - std::numbers::pi / 2;
  return {circle_.center().x + radius * std::cos(angle),
          circle_.center().y + radius * std::sin(angle)};
}

/// A closed path of straight pieces.
std::vector<Point> StageMany::sector(double first, double last, double inner, double outer) const {
  const int pieces = std::max(1, static_cast<int>(std::ceil((last - first) * 2)));
  std::vector<Point> corners;
  for (int i = 0; i <= pieces; ++i)
    corners.push_back(on_circle(first + (last - first) * i / pieces, outer));
  for (int i = pieces; i >= 0; --i)
    corners.push_back(on_circle(first + (last - first) * i / pieces, inner));
  corners.push_back(corners.front());
  std::vector<Point> path{corners.front()};
  for (std::size_t i = 1; i < corners.size(); ++i)
    path.insert(path.end(), {corners[i - 1], corners[i], corners[i]});
  return path;
}

Box StageMany::mark(Rank rank) const {
  return Box::around(on_circle(rank, (circle_.width / 2 - kOutside) * (1 - kWedge / 2)), 6, 6);
}

Box StageMany::card(Rank rank) const {
  return rank <= 2 * reach_ ? first_[static_cast<std::size_t>(rank)] : mark(rank);
}

Box StageMany::row(Rank rank, int chunk) const {
  const Box at = card(rank);
  return rank <= 2 * reach_ ? layout_.row_on(at, chunk) : at;
}

// ---- The circle ---------------------------------------------------------------------------------

namespace {

/// Returns the share of its result that a rank holds: 1 with every rank's part of all chunks.
double held_by(const StageCells& cells, bool regroups) {
  double held = 0;
  for (std::size_t c = 0; c < cells.size(); ++c)
    held += regroups ? (cells[c]->origin == static_cast<Rank>(c) ? 1 : 0) : cells[c]->held();
  return cells.empty() ? 0 : held / static_cast<double>(cells.size());
}

}  // namespace

void StageMany::circle(Drawing& pen, const Now& now, const StageState& state) const {
  const int n = model_.world();
  const double outer = circle_.width / 2 - kOutside, inner = outer * (1 - kWedge);
  std::vector<Ink> hues(static_cast<std::size_t>(n), Ink{Tone::whole});
  if (now.shown > 0)
    for (const StageCargo& cargo : model_.cargo(now.shown))
      hues[static_cast<std::size_t>(cargo.from)] =
          cargo.hue >= 0 ? stage_cargo_ink(cargo) : Ink{Tone::whole};
  for (Rank rank = 0; rank < n; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    const double held = std::clamp(held_by(state.cells[at], model_.regroups()), 0.0, 1.0);
    pen.group(-1);
    if (!in_window(rank)) {
      pen.new_group(Group{fmt::format("rank-{}", rank),
                          fmt::format("rank {}\nhas {:.0f} % of its result", rank, 100 * held)});
      pen.box(mark(rank), Ink{Tone::lane});
    }
    Mark& back = pen.path(sector(rank - 0.42, rank + 0.42, inner, outer), {Tone::lane}, 0.5);
    back.closed = true;
    back.fill = Ink{Tone::lane};
    back.stroke.reset();
    if (held < 0.01) continue;
    Mark& full = pen.path(sector(rank - 0.42, rank + 0.42, inner, inner + (outer - inner) * held),
                          hues[at], 0.5);
    full.closed = true;
    full.fill = hues[at];
  }
  pen.group(-1);
  for (Rank rank = 0; rank < n; rank += kNumbered)
    pen.level(fmt::format("{}", rank), on_circle(rank, outer + 11), kCaptionStrong, {Tone::muted});
  const double first = middle() - reach_ - 0.5;
  const double last = first + 2 * reach_ + 1;
  pen.path(sector(first, last, inner - 4, outer + 3), {Tone::text}, 1.6).closed = true;
  for (const double rank : {first, last}) {
    const Point corner = on_circle(rank, outer + 3);
    if (corner.x < circle_.center().x - 0.15 * outer) continue;  // it would pass over the circle
    pen.line(corner, {panel_.x, std::clamp(corner.y, panel_.y + 8, panel_.bottom() - 8)},
             {Tone::frame}, 1);
  }
}

/// Draws the most ranks that are in one sum, or the fewest chunks that a rank has.
void StageMany::center(Drawing& pen, const StageState& state) const {
  if (!near_ || model_.regroups() || circle_.width < 150) return;
  const int n = model_.world();
  int least = n, most = 0, holders = 0;
  for (const StageCells& cells : state.cells) {
    int held = 0;
    for (const auto& cell : cells) {
      most = std::max(most, static_cast<int>(cell->most));
      held += cell->holds_anything() ? 1 : 0;
    }
    least = std::min(least, held);
    holders += held > 0 ? 1 : 0;
  }
  const std::string count = model_.reduces() ? fmt::format("{} of {}", most, n)
                            : model_.whole() ? fmt::format("{} of {}", holders, n)
                                             : fmt::format("{} of {}", least, model_.chunks());
  const Point at = circle_.center();
  pen.level(count, {at.x, at.y - 9}, kEmphasis);
  pen.level(model_.reduces() ? "parts"
            : model_.whole() ? "ranks"
                             : "chunks",
            {at.x, at.y + 11}, kCaption, {Tone::muted});
}

void StageMany::dots(Drawing& pen, const Now& now) const {
  if (now.shown == 0 || now.finished) return;
  const int n = model_.world();
  const double inner = (circle_.width / 2 - kOutside) * (1 - kWedge) - 7;
  const auto& all = model_.cargo(now.shown);
  for (const StageCargo& cargo : all) {
    const double deep = 1 - 0.95 * std::min(1.0, 2.2 * rank_distance(cargo.from, cargo.to, n) /
                                                     static_cast<double>(n));
    const Point from = on_circle(cargo.from, inner), to = on_circle(cargo.to, inner),
                first = on_circle(cargo.from, inner * deep),
                last = on_circle(cargo.to, inner * deep);
    const std::vector<Point> way{from, first, last, to};
    pen.new_group(Group{fmt::format("m{}", cargo.message), cargo.story});
    Ink ink = stage_cargo_ink(cargo);
    ink.alpha = 0.3F;
    if (rank_distance(cargo.from, cargo.to, n) > 1) pen.path(way, ink, 1);
    if (!travels(now.share)) continue;
    pen.new_group(Group{fmt::format("moving-{}", cargo.message), ""});
    pen.circle(bezier(way, cargo.received ? way_of(now.share) : 0.5 * way_of(now.share)), 2.7,
               stage_cargo_ink(cargo), stage_cargo_ink(cargo));
  }
  pen.group(-1);
}

// ---- The neighbourhood ---------------------------------------------------------------------------

void StageMany::panel(Drawing& pen) const {
  pen.box(panel_, Ink{Tone::panel, 0, 0.35F}, Ink{Tone::muted}, 8, 1);
  const std::string name = fmt::format("rank {} ± {}", middle(), reach_);
  const Point at{panel_.x + kInside, panel_.y + kPanelHead / 2 + 2};
  pen.level(name, at, kBodyStrong, {}, Anchor::start);
  const double x = at.x + pen.width(name, kBodyStrong) + 14;
  const std::string_view hint = "click a rank on the circle to see its neighbours";
  if (x + pen.width(hint, kCaption) < panel_.right() - kInside)
    pen.level(hint, {x, at.y}, kCaption, {Tone::muted}, Anchor::start);
}

std::pair<std::string, std::string> StageMany::words_of(const StageCargo& cargo,
                                                        std::size_t alike) const {
  if (alike > 1) return {fmt::format("{} ×", alike), ""};
  if (cargo.empty || !model_.reduces())
    return {cargo.label.empty() ? cargo.brief : cargo.label, ""};
  const auto parts = ranges::count_if(cargo.slots, &CellPart::any);
  if (cargo.label.empty()) return {fmt::format("{}", parts), parts > 1 ? "parts" : "part"};
  return {cargo.label, fmt::format("{}", parts)};
}

void StageMany::track(Drawing& pen, const Now& now, const StageCargo& cargo, Point from, Point to,
                      std::size_t alike, bool one_line) const {
  pen.new_group(Group{fmt::format("m{}", cargo.message), cargo.story});
  Ink ink = stage_cargo_ink(cargo);
  const double rest = share_between(now.share, Times::landed, 1);
  ink.alpha = static_cast<float>(now.share > 0 ? 1 - 0.65 * rest : 0.35);
  Mark& way = pen.path(straight(from, to), ink, 2);
  way.arrow = true;
  way.dotted = cargo.empty;
  pen.group(-1);
  if (!travels(now.share)) return;
  auto [name, parts] = words_of(cargo, alike);
  if (one_line && !parts.empty() && cargo.label.empty()) name += " " + std::exchange(parts, "");
  else if (one_line) parts.clear();
  const double width =
      std::max({pen.width(name, kCaptionStrong), pen.width(parts, kCaption), 18.0}) + 8;
  const double height = parts.empty() ? 22 : kTwoLines;
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const double half = (from.y == to.y ? width : height) / 2;
  const double done = cargo.received ? way_of(now.share) : 0.5 * way_of(now.share);
  const double along = (half + 4 + std::max(length - 2 * half - 13, 0.0) * done) / length;
  const Point at{from.x + (to.x - from.x) * along, from.y + (to.y - from.y) * along};
  pen.new_group(Group{fmt::format("moving-{}", cargo.message), ""});
  pen.box(Box::around(at, width, height), Ink{Tone::page}, stage_cargo_ink(cargo), 6, 2);
  pen.level(name, {at.x, parts.empty() ? at.y : at.y - 8}, kCaptionStrong,
            {cargo.empty ? Tone::muted : Tone::text});
  if (!parts.empty()) pen.level(parts, {at.x, at.y + 9}, kCaption, {Tone::muted});
  pen.group(-1);
}

void StageMany::far_rank(Drawing& pen, const std::string& name, Point at) const {
  const double width = std::max(26.0, pen.width(name, kCaptionStrong) + 10);
  pen.box(Box::around(at, width, kFarHigh), Ink{Tone::rank}, Ink{Tone::muted}, 4).dotted = true;
  pen.level(name, at, kCaptionStrong);
}

/// Draws messages between ranks that stand beside each other, and in a ring those into the window and out of it.
void StageMany::beside(Drawing& pen, const Now& now) const {
  const int n = model_.world();
  const auto& all = model_.cargo(now.shown);
  const auto card_of = [&](Rank rank) -> const Box& {
    return layout_.cards[static_cast<std::size_t>(rank)];
  };
  for (const StageCargo& cargo : all) {
    const bool from = in_window(cargo.from), to = in_window(cargo.to);
    if (rank_distance(cargo.from, cargo.to, n) != 1 || !(neighbours_ ? from || to : from && to))
      continue;
    const bool right = wrap(cargo.to - cargo.from, n) == 1;
    const bool both = ranges::any_of(all, [&](const StageCargo& other) {
      return other.from == cargo.to && other.to == cargo.from;
    });
    const double y =
        card_of(from ? cargo.from : cargo.to).center().y + (both ? (right ? -14 : 14) : 0);
    const auto side = [](const Box& box, bool at_right) { return at_right ? box.right() : box.x; };
    const auto outside = [&](Rank rank, bool at_right) {
      const double edge = side(panel_.grown(-kInside), at_right), inwards = at_right ? -1 : 1;
      far_rank(pen, fmt::format("{}", rank), {edge + inwards * 13, y});
      return edge + inwards * 30;
    };
    const double start = from ? side(card_of(cargo.from), right) : outside(cargo.from, !right);
    const double end = to ? side(card_of(cargo.to), !right) : outside(cargo.to, right);
    track(pen, now, cargo, {start, y}, {end, y}, 1, both);
  }
}

/// Draws messages from and to ranks that do not stand beside: above a card, on its left and on its right.
void StageMany::lanes(Drawing& pen, const Now& now) const {
  const int n = model_.world();
  const auto stands_beside = [&](const StageCargo& cargo) {
    return rank_distance(cargo.from, cargo.to, n) == 1 && in_window(cargo.from) &&
           in_window(cargo.to);
  };
  for (const Rank rank : window_)
    for (const bool into : {true, false}) {
      std::vector<const StageCargo*> all;
      for (const StageCargo& cargo : model_.cargo(now.shown))
        if ((into ? cargo.to : cargo.from) == rank && !stands_beside(cargo)) all.push_back(&cargo);
      if (all.empty()) continue;
      const Box& box = layout_.cards[static_cast<std::size_t>(rank)];
      const double x = box.center().x + (into ? -1 : 1) * std::max(box.width / 4, 29.0);
      const Point far{x, panel_.y + kPanelHead + kFarHigh / 2}, top{x, far.y + kFarHigh / 2 + 1},
          low{x, box.y - 1};
      const Rank other = into ? all[0]->from : all[0]->to;
      far_rank(pen, all.size() > 1 ? fmt::format("{} ranks", all.size()) : fmt::format("{}", other),
               far);
      track(pen, now, *all[0], into ? top : low, into ? low : top, all.size(), true);
    }
}

void StageMany::draw(Drawing& pen, const Now& now, const StageState& state,
                     const std::vector<StageCardNow>& cards, const StageTrouble& trouble,
                     const SceneChoice& focus) {
  place(focus);
  circle(pen, now, state);
  dots(pen, now);
  center(pen, state);
  panel(pen);
  SceneChoice chosen = focus;
  chosen.rank = -1;  // it is in the middle of the window
  StageCards painter(pen, model_, layout_, trouble, false, chosen, kept_);
  const double pitch = layout_.cards[static_cast<std::size_t>(window_[1])].x -
                       layout_.cards[static_cast<std::size_t>(window_[0])].x;
  for (const Rank rank : window_) {
    const auto at = static_cast<std::size_t>(rank);
    painter.card(rank, state.cells[at], cards[at]);
    const std::string& activity = cards[at].activity;
    const Box& box = layout_.cards[at];
    if (pen.width(activity, kCaption) < pitch - 8)
      pen.level(activity, {box.center().x, box.bottom() + kActivity / 2 + 1}, kCaption,
                {Tone::muted});
  }
  pen.box(layout_.cards[static_cast<std::size_t>(middle())], {}, Ink{Tone::text}, 8, 1.6);
  if (now.shown == 0 || now.finished) return;
  beside(pen, now);
  if (!neighbours_) lanes(pen, now);
}

}  // namespace rankscope
