// Finds ways and chips for a round's messages, and draws them at a moment.
#include "engine/diagrams/stage/stage_flight.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/moving/flipbook.h"

namespace rankscope {
namespace {

using Times = StageTimes;

constexpr int kMostChipSlots = 8, kMostSmallSlots = 16, kChipSamples = 16;
constexpr double kChipGrid = 0.76, kSmallGrid = 0.55;  // of a card's grid of slots or cells
constexpr double kGridPad = 3;
constexpr double kChipPad = 7, kTile = 10, kChipHeight = 24, kNarrowPad = 3, kNarrowHeight = 17;
constexpr double kStripe = 4, kMostStripes = 8;  // of a pill with several chunks
constexpr double kTrain = 0.2;  // between the first and the last that take the same way
constexpr float kPaleWay = 0.2F;

double stripes_of(const StageCargo& cargo) {
  return cargo.several() ? std::min(kMostStripes, cargo.named_last - cargo.named_first + 1.0) : 0;
}

/// A chip at even shares of its way.
using ChipsOnWay = std::array<Box, kChipSamples + 1>;

ChipsOnWay chips_on(const StagePath& way, const Box& size) {
  ChipsOnWay chips;
  for (int k = 0; k <= kChipSamples; ++k)
    chips[static_cast<std::size_t>(k)] =
        Box::around(bezier(way.curve, static_cast<double>(k) / kChipSamples), size.width,
                    size.height)
            .grown(2);
  return chips;
}

/// `passing`: one may pass over the other far from both ends.
bool meet(const ChipsOnWay& chips, const ChipsOnWay& others, bool passing) {
  for (std::size_t k = 0; k < chips.size(); ++k)
    if (chips[k].overlaps(others[k]) &&
        !(passing && k + 1 >= kChipSamples / 2 && k <= kChipSamples / 2 + 1))
      return true;
  return false;
}

/// Returns whether two ways run beside each other so near that one does not see which is which.
bool run_together(const ChipsOnWay& chips, const ChipsOnWay& others) {
  constexpr double kNear = 10, kAlong = 0.85;
  constexpr int kMost = 2;  // of the points at which they are compared
  int near = 0;
  for (std::size_t k = 1; k < chips.size() - 1; ++k) {
    const Point p = chips[k].center(), before = chips[k - 1].center();
    bool beside = false;
    for (std::size_t i = 1; i < others.size() && !beside; ++i) {
      const Point q = others[i].center(), from = others[i - 1].center();
      const double ax = p.x - before.x, ay = p.y - before.y, bx = q.x - from.x, by = q.y - from.y;
      beside = std::hypot(p.x - (q.x + from.x) / 2, p.y - (q.y + from.y) / 2) <
                   kNear + std::hypot(bx, by) / 2 &&
               std::abs(bx * (p.y - from.y) - by * (p.x - from.x)) < kNear * std::hypot(bx, by) &&
               std::abs(ax * bx + ay * by) > kAlong * std::hypot(ax, ay) * std::hypot(bx, by);
    }
    near += beside ? 1 : 0;
  }
  return near > kMost;
}

bool cross(const ChipsOnWay& chips, const ChipsOnWay& others) {
  const auto side = [](Point a, Point b, Point of) {
    return (b.x - a.x) * (of.y - a.y) - (b.y - a.y) * (of.x - a.x);
  };
  for (std::size_t i = 1; i < chips.size(); ++i)
    for (std::size_t k = 1; k < others.size(); ++k) {
      const Point a = chips[i - 1].center(), b = chips[i].center(), c = others[k - 1].center(),
                  d = others[k].center();
      if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) return true;
    }
  return false;
}

bool share_a_dock(const ChipsOnWay& chips, const ChipsOnWay& others) {
  return chips.front().overlaps(others.back()) || chips.back().overlaps(others.front());
}

bool is_pale(const SceneChoice& focus, const StageCargo& cargo) {
  if (focus.message >= 0) return focus.message != static_cast<std::int64_t>(cargo.message);
  if (focus.rank >= 0 && cargo.from != focus.rank && cargo.to != focus.rank) return true;
  if (focus.chunk < 0 || !cargo.brief.empty()) return false;  // all of the data
  const int first = cargo.named_first, last = cargo.named_last;
  return focus.chunk < first || focus.chunk > last;
}

std::string group_id(const StageCargo& cargo) { return fmt::format("m{}", cargo.message); }

}  // namespace

// ---- Sizes --------------------------------------------------------------------------------------

bool StageFlightPainter::shows_slots(StageChip kind) const {
  if (layout_.style.dot || model_.chunks() == 0 || model_.regroups() || model_.values())
    return false;
  if (kind == StageChip::slots)
    return layout_.style.labels && (layout_.slots <= kMostChipSlots || layout_.style.per_line > 0);
  const bool worth = layout_.style.columns == 0 && (layout_.slots > 1 || model_.whole());
  return kind == StageChip::small && worth && layout_.slots <= kMostSmallSlots;
}

bool StageFlightPainter::shows_cells(const StageCargo& cargo, StageChip kind) const {
  return layout_.style.columns > 0 && cargo.several() && !model_.regroups() &&
         (kind == StageChip::slots || kind == StageChip::small);
}

Box StageFlightPainter::slot_size(const StageCargo& cargo, StageChip kind) const {
  const StageStyle& style = layout_.style;
  if (style.columns > 0 || (kind == StageChip::small && style.per_line > 0))
    return {0, 0, style.slot_width * kSmallGrid, style.slot_height * kSmallGrid};
  if (kind == StageChip::small)
    return {0, 0, (layout_.slots > 1 ? 6 : 22) * style.scale, 14 * style.scale};
  const double share = style.per_line > 0 ? kChipGrid : 1;
  const double width = layout_.slot_width(std::max(cargo.hue, cargo.first), style.slot_width);
  return {0, 0, std::min(width, 44.0 * style.scale) * share, style.slot_height * share};
}

StageFlightPainter::ChipGrid StageFlightPainter::grid_of(const StageCargo& cargo,
                                                         StageChip kind) const {
  const StageStyle& style = layout_.style;
  const bool small = kind == StageChip::small, grid = style.per_line > 0;
  ChipGrid found{.slot = slot_size(cargo, kind),
                 .gap = small ? 1.5 * style.scale : style.gap,
                 .pad = (small && grid ? kGridPad : kChipPad) * style.scale,
                 .across = grid ? style.per_line : layout_.slots};
  if (!cargo.label.empty())
    found.text = ruler_.width(cargo.label, style.letters(kCaptionStrong)) + 7 * style.scale;
  const int lines = (layout_.slots + found.across - 1) / found.across;
  found.width = found.across * (found.slot.width + found.gap) - found.gap;
  found.height = lines * (found.slot.height + found.gap) - found.gap;
  return found;
}

Box StageFlightPainter::size_of(const StageCargo& cargo, StageChip kind) const {
  const double scale = layout_.style.scale;
  if (kind == StageChip::tile) return {0, 0, kTile * scale, kTile * scale};
  const Font font = layout_.style.letters(kCaptionStrong);
  const std::string& words = text_of(cargo, kind);
  const double text = words.empty() ? 0 : ruler_.width(words, font);
  if (kind == StageChip::narrow)
    return {0, 0, std::ceil(text + 2 * kNarrowPad * scale), std::ceil(kNarrowHeight * scale)};
  double width = 2 * kChipPad * scale + text, height = kChipHeight * scale;
  if (shows_cells(cargo, kind)) {
    const Box cell = slot_size(cargo, kind);
    const int lines = (layout_.rows + layout_.style.columns - 1) / layout_.style.columns;
    width = layout_.style.columns * (cell.width + 1) + 2 * kGridPad * scale;
    height = lines * (cell.height + 1) + 2 * kGridPad * scale;
  } else if (shows_slots(kind) && !cargo.empty) {
    const ChipGrid grid = grid_of(cargo, kind);
    width = 2 * grid.pad + grid.text + grid.width;
    height = std::max(grid.height + 10 * scale, text > 0 ? 20 * scale : 0);
  } else if (words.empty()) {
    width += 12 * scale;  // a pill of its sender's tint
  } else if (stripes_of(cargo) > 0) {
    width += (stripes_of(cargo) * kStripe + 5) * scale;
  }
  return {0, 0, std::ceil(width), std::ceil(height)};
}

const std::string& StageFlightPainter::text_of(const StageCargo& cargo, StageChip kind) const {
  if (kind == StageChip::slots && !cargo.value.empty()) return cargo.value;
  return shows_slots(kind) || !cargo.label.empty() ? cargo.label : cargo.brief;
}

// ---- Ways ---------------------------------------------------------------------------------------

const std::vector<StagePath>& StageFlightPainter::paths(const StageCargo& cargo, const Box& size,
                                                        bool both_ways) {
  const std::tuple key{cargo.from, cargo.to, static_cast<int>(size.width),
                       static_cast<int>(size.height), both_ways};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_
      .emplace(key, stage_paths(layout_, cargo.from, cargo.to, size.width, size.height, both_ways))
      .first->second;
}

StageFlights StageFlightPainter::flights(const std::vector<StageCargo>& cargo) {
  StageFlights flights;
  for (const StageChip chip :
       {StageChip::slots, StageChip::small, StageChip::label, StageChip::narrow, StageChip::tile}) {
    flights = {};
    flights.chip = chip;
    if (layout_.style.dot && chip != StageChip::tile) continue;
    if (chip == StageChip::small && !shows_slots(chip)) continue;
    // A name without room around it; several chunks have hues.
    if (chip == StageChip::narrow && ranges::any_of(cargo, [&](const StageCargo& one) {
          return one.several() || text_of(one, chip).empty();
        }))
      continue;
    // Those that follow each other have no room for words.
    const auto follows = [](const StageCargo& one) { return one.train > 1; };
    if (chip != StageChip::tile && ranges::any_of(cargo, follows)) continue;
    if (choose(cargo, flights)) break;
  }
  for (std::size_t i = 0; i < cargo.size(); ++i)
    flights.crosses_note |=
        ranges::any_of(chips_on(flights.paths[i], flights.sizes[i]),
                       [&](const Box& chip) { return chip.overlaps(layout_.note); });
  return flights;
}

namespace {

/// The ways of a round's messages that are chosen so far, with their chips.
struct Taken {
  const std::vector<StageCargo>& cargo;
  bool narrow = false;
  std::vector<StagePath> paths = {};
  std::vector<ChipsOnWay> chips = {};

  /// Level 1: it does not begin where another ends: which of the two it is would not be seen. 2: it runs along no other.
  /// 3: it does not cross the one that comes back.
  bool has_room(const ChipsOnWay& at, int level) const {
    const StageCargo& one = cargo[paths.size()];
    for (std::size_t i = 0; i < paths.size(); ++i)
      if (meet(at, chips[i], narrow) || (level >= 1 && share_a_dock(at, chips[i])) ||
          (level >= 2 && run_together(at, chips[i])) ||
          (level >= 3 && cargo[i].from == one.to && cargo[i].to == one.from && cross(at, chips[i])))
        return false;
    return true;
  }
  bool take_one(const std::vector<StagePath>& ways, const Box& size, int level) {
    for (const StagePath& way : ways) {
      if (way.cost >= 1) break;
      const ChipsOnWay at = chips_on(way, size);
      if (!has_room(at, level)) continue;
      paths.push_back(way);
      chips.push_back(at);
      return true;
    }
    return false;
  }
};

}  // namespace

bool StageFlightPainter::ways_cross(const StageFlights& flights, bool also_at_ends) {
  std::vector<ChipsOnWay> all;
  for (std::size_t i = 0; i < flights.paths.size(); ++i) {
    all.push_back(chips_on(flights.paths[i], flights.sizes[i]));
    for (std::size_t k = 0; k < i; ++k)
      if (cross(all[i], all[k]) || (also_at_ends && share_a_dock(all[i], all[k]))) return true;
  }
  return false;
}

// One after the other, each the best way on which its chip is never where another one is at that time; small tiles have no
// words, so they may. Where one would begin at the place at which another ends, all of them keep to the right.
bool StageFlightPainter::choose(const std::vector<StageCargo>& cargo, StageFlights& flights) {
  std::set<std::pair<Rank, Rank>> pairs;
  for (const StageCargo& one : cargo) pairs.emplace(one.from, one.to);
  for (const StageCargo& one : cargo) flights.sizes.push_back(size_of(one, flights.chip));
  const bool words = flights.chip != StageChip::tile;
  for (const auto& [to_the_right, least] : {std::pair(false, 1), {true, 1}, {false, 0}}) {
    Taken taken{cargo, flights.chip == StageChip::narrow};
    flights.paths.clear();
    const bool all = ranges::all_of(cargo, [&](const StageCargo& one) {
      const Box& size = flights.sizes[flights.paths.size()];
      const auto& ways = paths(one, size, to_the_right || pairs.contains({one.to, one.from}));
      flights.paths.push_back(ways.front());
      for (int level = 3; words && level >= least; --level)
        if (taken.take_one(ways, size, level)) return true;
      return !words;
    });
    if (!all) continue;
    if (words) flights.paths = std::move(taken.paths);
    return true;
  }
  return false;
}

void StageFlightPainter::ways(Drawing& pen, const std::vector<StageCargo>& cargo,
                              const StageFlights& flights, double strength,
                              const SceneChoice& focus) const {
  if (strength <= 0.01) return;
  const double width = layout_.style.dot || cargo.size() > 32 ? 1.2 : 2;
  for (std::size_t i = 0; i < cargo.size(); ++i) {
    pen.new_group(Group{group_id(cargo[i]), cargo[i].story});
    Ink ink = stage_cargo_ink(cargo[i]);
    ink.alpha = static_cast<float>(strength) * (is_pale(focus, cargo[i]) ? kPaleWay : 1);
    const auto line = flights.paths[i].line();
    // Under each, though only light hues need it: a line that looks different would mean something.
    if (!cargo[i].empty)
      pen.path(line, {Tone::text, 0, 0.6F * ink.alpha}, width + 1.2).arrow = true;
    Mark& way = pen.path(line, ink, width);
    way.arrow = true;
    way.dotted = cargo[i].empty;
  }
  pen.group(-1);
}

// ---- What travels --------------------------------------------------------------------------------

Box StageFlightPainter::chip_slot(const StageCargo& cargo, StageChip kind, const Box& chip,
                                  int slot) const {
  if (!shows_slots(kind)) return Box::around(chip.center(), 8, 8);
  const ChipGrid grid = grid_of(cargo, kind);
  return {chip.x + grid.pad + grid.text + slot % grid.across * (grid.slot.width + grid.gap),
          chip.center().y - grid.height / 2 + slot / grid.across * (grid.slot.height + grid.gap),
          grid.slot.width, grid.slot.height};
}

void StageFlightPainter::chip(Drawing& pen, StageCards& cards, const StageCargo& cargo,
                              StageChip kind, const Box& box, bool pale, bool empty) const {
  const Ink hue = stage_cargo_ink(cargo);
  const Ink line = pale ? Ink{hue.tone, hue.index, 0.35F} : hue;
  if (kind == StageChip::tile) {
    const Ink edge{Tone::text, 0, pale ? 0.3F : 0.8F};
    const int stripes = std::min(static_cast<int>(stripes_of(cargo)), 4);
    if (stripes == 0) {
      pen.box(box, line, edge, box.width / 3, 1);
      return;
    }
    const double each = box.width / stripes;
    for (int i = 0; i < stripes; ++i)
      pen.box({box.x + i * each, box.y, each, box.height},
              Ink{Tone::chunk, cargo.named_first + i, line.alpha});
    pen.box(box, {}, edge, 1, 1);
    return;
  }
  if (shows_cells(cargo, kind)) {
    const Box cell = slot_size(cargo, kind);
    const int columns = layout_.style.columns;
    const double pad = kGridPad * layout_.style.scale;
    pen.box(box, Ink{Tone::page}, line, 5, 1.6);
    for (int c = 0; c < layout_.rows; ++c) {
      const Box place{box.x + pad + c % columns * (cell.width + 1),
                      box.y + pad + static_cast<double>(c / columns) * (cell.height + 1),
                      cell.width, cell.height};
      const Ink ink{Tone::chunk, c, line.alpha};
      pen.box(place, Ink{Tone::lane});
      if (c >= cargo.named_first && c <= cargo.named_last && !empty)
        pen.box(cargo.part_of(c).in(place), ink, ink, 0, 0.6);
    }
    return;
  }
  if (!shows_slots(kind) || cargo.empty) return pill(pen, cargo, kind, box, pale, empty);
  const Font font = layout_.style.letters(kCaptionStrong);
  pen.box(box, Ink{Tone::page}, line, 7, 2);
  if (!cargo.label.empty())
    pen.level(cargo.label, {box.x + kChipPad * layout_.style.scale, box.center().y}, font,
              pale ? Ink{Tone::muted} : Ink{Tone::text}, Anchor::start);
  const int chunk = std::max({cargo.hue, cargo.first, 0});
  for (int i = 0; i < layout_.slots; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const CellPart part = empty || at >= cargo.slots.size() ? CellPart() : cargo.slots[at];
    const int digit = model_.reduces() ? i : cargo.origin;
    cards.slot(chip_slot(cargo, kind, box, i), stage_slot_ink(model_, chunk, cargo.origin), part,
               digit >= 0 ? fmt::format("{}", digit) : "");
  }
}

// Its name in its hue. Of several chunks their hues stand before it; the whole data has its sender's edge. While its
// contents slide in or out they would lie on the name.
void StageFlightPainter::pill(Drawing& pen, const StageCargo& cargo, StageChip kind, const Box& box,
                              bool pale, bool emptied) const {
  const double scale = layout_.style.scale;
  const Ink hue = stage_cargo_ink(cargo);
  const bool hollow = pale || cargo.empty || cargo.hue < 0;
  const Ink line = pale ? Ink{hue.tone, hue.index, 0.35F} : hue;
  pen.box(box, hollow ? Ink{Tone::page} : hue, hollow ? line : edge_of(hue), box.height / 2,
          cargo.empty ? 1
          : hollow    ? 2
                      : 1.2);
  const double stripes = stripes_of(cargo);
  double x = box.x + kChipPad * scale;
  for (int i = 0; i < static_cast<int>(stripes); ++i, x += kStripe * scale)
    pen.box(cargo.part_of(cargo.named_first + i)
                .in({x, box.center().y - 6 * scale, (kStripe - 1) * scale, 12 * scale}),
            Ink{Tone::chunk, cargo.named_first + i, pale ? 0.35F : 1});
  const std::string& words = text_of(cargo, kind);
  if (words.empty() || emptied) return;
  const double left = stripes > 0 ? x + 5 * scale : box.x;
  const double right = stripes > 0 ? box.right() - kChipPad * scale : box.right();
  pen.level(words, {(left + right) / 2, box.center().y}, layout_.style.letters(kCaptionStrong),
            hollow ? Ink{pale || cargo.empty ? Tone::muted : Tone::text} : text_on(hue));
}

void StageFlightPainter::sliding(Drawing& pen, StageCards& cards, const StageCargo& cargo,
                                 StageChip kind, const Box& chip, bool out, double part) const {
  const int first = out ? cargo.first : cargo.into_first, last = out ? cargo.last : cargo.into_last;
  const Rank rank = out ? cargo.from : cargo.to;
  const double t = eased(out ? 1 - part : part);  // 1: in the row
  for (int c = first; c >= 0 && c <= last; ++c)
    for (int i = 0; i < layout_.slots; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (at >= cargo.slots.size() || !cargo.slots[at].any()) continue;
      const Box row = layout_.slot(rank, c, i), from = chip_slot(cargo, kind, chip, i);
      const auto mix = [t](double a, double b) { return a + (b - a) * t; };
      const Box now{mix(from.x, row.x), mix(from.y, row.y), mix(from.width, row.width),
                    mix(from.height, row.height)};
      const Ink ink = stage_slot_ink(model_, c, cargo.origin);
      pen.new_group(Group{fmt::format("moving-{}-{}-{}", cargo.message, c, i), ""});
      if (layout_.style.dot || layout_.style.level || model_.values()) {
        pen.box(Box::around(now.center(), 5, 5), ink, Ink{Tone::muted}, 2);
        break;
      }
      cards.slot(now, ink, cargo.slots[at], "");
    }
}

void StageFlightPainter::cargo(Drawing& pen, StageCards& cards, const std::vector<StageCargo>& all,
                               const StageFlights& flights, double share, const SceneChoice& focus,
                               bool beneath) const {
  if (share <= 0 || share >= Times::landed) return;
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const StageCargo& one = all[i];
    const double apart = one.train > 1 ? kTrain / (one.train - 1) : 0;
    const double way = eased(share_between(share, Times::lifted + one.place * apart,
                                           Times::docked - (one.train - 1 - one.place) * apart));
    // A message that is never received stays half-way.
    const Point at = bezier(flights.paths[i].curve, one.received ? way : 0.5 * way);
    boxes.push_back(Box::around(at, flights.sizes[i].width, flights.sizes[i].height));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((flights.paths[i].cost >= 1) != beneath) continue;
    const StageCargo& one = all[i];
    const Box& box = boxes[i];
    // Of narrow chips that pass over each other, the upper one has words.
    const bool covered = flights.chip == StageChip::narrow &&
                         std::any_of(boxes.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                     boxes.end(), [&](const Box& o) { return o.overlaps(box); });
    const bool lifts = share < Times::lifted, slides = one.received && share > Times::slides;
    const bool empty = lifts || slides;
    pen.new_group(Group{fmt::format("moving-{}", one.message), ""});
    cards.pale(is_pale(focus, one));
    chip(pen, cards, one, flights.chip, box, is_pale(focus, one) || empty, empty || covered);
    if (lifts)
      sliding(pen, cards, one, flights.chip, box, true, share_between(share, 0, Times::lifted));
    if (slides)
      sliding(pen, cards, one, flights.chip, box, false,
              share_between(share, Times::slides, Times::landed));
  }
  pen.group(-1);
}

}  // namespace rankscope
