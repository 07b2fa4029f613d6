// Draws a rank's card: its name, a row for each chunk with its slots, and where a blocked rank stands.
#include "engine/diagrams/stage/stage_cards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rankscope {
namespace {

constexpr float kPale = 0.3F;
constexpr int kEvery = 8;              // so many ranks have their numbers where not all have room
constexpr int kMostCellStories = 256;  // per scene; beyond this, only the card has a story

}  // namespace

bool StageCards::pale(Rank rank, int chunk) const {
  if (!focus_.any() || focus_.message >= 0) return false;
  if (focus_.rank >= 0 && rank != focus_.rank) return true;
  return focus_.chunk >= 0 && chunk >= 0 && chunk != focus_.chunk && !model_.whole();
}

Ink StageCards::toned(Ink ink) const {
  if (pale_) ink.alpha *= kPale;
  return ink;
}

template <class Draw>
void StageCards::draw_kept(StageKept& kept, Rank rank,
                           std::span<const std::shared_ptr<const DataCell>> cells,
                           std::span<const StageRowNow> rows, bool is_wrong, std::int32_t group,
                           const Draw& draw) {
  const Box& card = layout_.cards[static_cast<std::size_t>(rank)];
  auto& marks = pen_.scene().marks;
  const std::size_t first = marks.size();
  if (kept.is_of(cells, rows, card, pale_, is_wrong)) {
    marks.insert(marks.end(), kept.marks.begin(), kept.marks.end());
    for (std::size_t i = first; i < marks.size(); ++i) marks[i].group = group;
    return;
  }
  draw();
  kept.marks.assign(marks.begin() + static_cast<std::ptrdiff_t>(first), marks.end());
  kept.cells.assign(cells.begin(), cells.end());
  kept.rows.assign(rows.begin(), rows.end());
  kept.card = card;
  kept.pale = pale_;
  kept.wrong = is_wrong;
}

void StageCards::card(Rank rank, const StageCells& cells, const StageCardNow& now) {
  const Box& card = layout_.cards[static_cast<std::size_t>(rank)];
  pale_ = pale(rank, -1);
  kept_.resize(layout_.cards.size());
  StageKeptCard& kept = kept_[static_cast<std::size_t>(rank)];
  if (kept.group.id.empty() || kept.cells != cells)
    kept.group = {fmt::format("rank-{}", rank), story(rank, cells)}, kept.cells = cells;
  const std::int32_t group = pen_.new_group(kept.group);
  frame(rank, card, now);
  if (style_.numbered) head(rank, card, now);
  else if (layout_.around && rank % kEvery == 0) far_number(rank, card);
  if (now.badge != nullptr) stands(rank, card, *now.badge);
  if (!style_.dot) rows(rank, cells, now, group);
  pen_.group(group);
  if (now.ended && style_.foot > 0)
    if (const auto* wait = trouble_.of(rank)) foot(card, *wait);
  pen_.group(-1);
}

void StageCards::rows(Rank rank, const StageCells& cells, const StageCardNow& now,
                      std::int32_t group) {
  const std::int32_t card_group = group;
  const bool told = layout_.rows * static_cast<int>(layout_.cards.size()) <= kMostCellStories;
  auto& all = kept_[static_cast<std::size_t>(rank)].rows;
  all.resize(cells.size());
  const StageRowNow calm;
  const auto* const bad = now.ended ? trouble_.wrong_at(rank) : nullptr;
  const Partition chunks(model_.analysis().pieces().whole(), std::max(model_.chunks(), 1));
  const bool placed = bad != nullptr && bad->element < model_.analysis().pieces().whole();
  const int bad_chunk = placed ? chunks.chunk_of(bad->element) : -1;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const int chunk = static_cast<int>(c);
    StageKept& kept = all[c];
    const DataCell& cell = *cells[c];
    pale_ = pale(rank, chunk);
    if (told) {
      if (kept.cells.empty() || kept.cells[0] != cells[c])
        kept.group = {fmt::format("cell-{}-{}", rank, chunk), story(rank, chunk, cell)};
      group = pen_.new_group(kept.group);
    }
    const StageRowNow& of = c < now.rows.size() ? now.rows[c] : calm;
    const bool is_wrong = bad_chunk == chunk;
    draw_kept(kept, rank, {&cells[c], 1}, {&of, 1}, is_wrong, group, [&] {
      row(rank, chunk, cell, of);
      if (is_wrong) wrong(rank, chunk, cell, *bad);
    });
  }
  pen_.group(card_group);
  if (joins_targets()) joined_targets(rank, now.rows);
}

// Outside of the circle, beside a node that has no room for it: messages pass inside.
void StageCards::far_number(Rank rank, const Box& card) {
  const Box& area = layout_.area;
  const Point at = card.center();
  const std::string name = fmt::format("{}", rank);
  const bool left = at.x < area.center().x, upper = at.y < area.center().y;
  const bool beside =
      std::min(at.x - area.x, area.right() - at.x) < std::min(at.y - area.y, area.bottom() - at.y);
  const double x = card.width / 2 + 6 + pen_.width(name, kCaptionStrong) / 2,
               y = card.height / 2 + 11;
  pen_.level(name,
             beside ? Point{at.x + (left ? -x : x), at.y} : Point{at.x, at.y + (upper ? -y : y)},
             kCaptionStrong, {Tone::muted});
}

void StageCards::frame(Rank rank, const Box& card, const StageCardNow& now) {
  const bool lost = now.ended && trouble_.is_lost(rank);
  const bool wrong = now.ended && trouble_.at_fault(rank);
  const double radius = std::min(8.0, card.height / 4);
  const bool chosen = focus_.rank == rank;
  Mark& box = pen_.box(card, Ink{Tone::panel},
                       wrong    ? Ink{Tone::error}
                       : chosen ? Ink{Tone::accent}
                                : toned({Tone::grid}),
                       radius, wrong || chosen ? 2 : 1);
  box.hatched = lost && style_.dot;
  if (lost && !style_.dot) {
    // Below the name, so that it can be read.
    const Box body{card.x + 2, card.y + style_.head, card.width - 4,
                   std::max(card.height - style_.head - 3, 0.0)};
    if (body.height > 4) pen_.box(body, Ink{Tone::panel}).hatched = true;
  }
}

void StageCards::head(Rank rank, const Box& card, const StageCardNow& now) {
  if (style_.per_line > 0 && style_.label_width > 0) return tile(rank, card, now);
  const double y =
      card.y + (style_.dot ? card.height : style_.head) / 2 + (style_.words ? 2 * style_.scale : 0);
  const bool lost = now.ended && trouble_.is_lost(rank);
  const auto* wait = now.ended ? trouble_.of(rank) : nullptr;
  const bool blocked = wait != nullptr && wait->root;
  const std::string name = style_.named ? fmt::format("rank {}", rank) : fmt::format("{}", rank);
  const Font font = letters(style_.named ? kBodyStrong : kCaptionStrong);
  const bool marked =
      lost || (now.ended && !style_.named && (blocked || trouble_.wrong_at(rank) != nullptr));
  const Ink ink = pale_ ? Ink{Tone::muted} : marked ? Ink{Tone::error} : Ink{Tone::text};
  if (!style_.named) {
    pen_.level(name, {card.center().x, y}, font, ink);
    return;
  }
  pen_.level(name, {card.x + style_.pad, y}, font, ink, Anchor::start);
  const double free = card.width - 2 * style_.pad - pen_.width(name, font) - 12 * style_.scale;
  const bool wrong = now.ended && trouble_.wrong_at(rank) != nullptr;
  const std::string right = lost                                    ? "lost"
                            : blocked                               ? "blocked"
                            : wrong                                 ? "wrong"
                            : wait != nullptr                       ? "waits"
                            : now.ended && trouble_.has_ended(rank) ? "ended"
                            : style_.words && now.badge == nullptr  ? now.activity
                                                                    : "";
  const bool bad = lost || blocked || wrong;
  const Font small = letters(bad ? kCaptionStrong : kCaption);
  if (!right.empty() && pen_.width(right, small) <= free)
    pen_.level(right, {card.right() - style_.pad, y}, small,
               bad ? Ink{Tone::error} : Ink{Tone::muted}, Anchor::end);
}

// The rank's number beside its slots, as high as they are.
void StageCards::tile(Rank rank, const Box& card, const StageCardNow& now) {
  const Box box{card.x + style_.pad, card.y + style_.pad, style_.label_width - 8 * style_.scale,
                card.height - 2 * style_.pad};
  const bool marked = now.ended && trouble_.at_fault(rank);
  pen_.box(box, Ink{Tone::rank}, {}, std::min(6.0, box.height / 4));
  const Font font = letters(box.height >= 36   ? kEmphasis
                            : box.height >= 20 ? kBodyStrong
                                               : kCaptionStrong);
  pen_.level(fmt::format("{}", rank), box.center(), font,
             {marked  ? Tone::error
              : pale_ ? Tone::muted
                      : Tone::text});
}

void StageCards::foot(const Box& card, const StageTrouble::Wait& wait) {
  const double left = card.x + style_.pad, right = card.right() - style_.pad;
  const double y = card.bottom() - style_.foot + 6 * style_.scale;
  const Font strong = letters(kCaptionStrong), plain = letters(kCaption);
  if (!style_.words && !style_.counts)
    return void(pen_.level(wait.brief, {left, y + 2 * style_.scale}, plain,
                           {wait.root ? Tone::error : Tone::muted}, Anchor::start));
  pen_.level(wait.what, {left, y + 6 * style_.scale}, strong, {}, Anchor::start);
  const double free = right - left - pen_.width(wait.what, strong) - 8;
  if (!wait.line.empty() && pen_.width(wait.line, plain) <= free)
    pen_.level(wait.line, {right, y + 6 * style_.scale}, plain, {Tone::muted}, Anchor::end);
  pen_.level(wait.why, {left, y + 24 * style_.scale}, plain, {Tone::muted}, Anchor::start);
}

// ---- A chunk's row ------------------------------------------------------------------------------

void StageCards::row(Rank rank, int chunk, const DataCell& cell, const StageRowNow& now) {
  const Box line = layout_.row(rank, chunk);
  if (style_.label_width > 0 && style_.per_line == 0) {
    const Font font = letters(kCaptionStrong);
    const std::string name = fmt::format("c{}", chunk);
    const double width = style_.label_width - 8 * style_.scale,
                 height = std::min(16 * style_.scale, style_.pitch - 1.5);
    const double x = layout_.cards[static_cast<std::size_t>(rank)].x + style_.pad;
    const Ink hue = model_.regroups() ? Ink{Tone::lane} : Ink{Tone::chunk, chunk};
    const Box pill{x, line.center().y - height / 2, width, height};
    if (pale_) {
      pen_.box(pill, {}, Ink{Tone::grid}, 4);
      pen_.level(name, pill.center(), font, {Tone::muted});
    } else {
      pen_.box(pill, hue, {}, 4);
      pen_.level(name, pill.center(), font, model_.regroups() ? Ink{Tone::text} : text_on(hue));
    }
  }
  if (!cell.exists()) {
    const Box first = layout_.slot(rank, chunk, 0);
    pen_.line({first.x, first.center().y},
              {first.x + std::min(first.width, 12.0), first.center().y}, toned({Tone::grid}), 1.5);
    return;
  }
  if (values_) shown_values(rank, chunk, cell, now);
  else if (style_.level) level(rank, chunk, cell);
  else if (style_.per_line > 0 || (style_.slot_width >= 8 * style_.scale && style_.gap >= 2))
    slots(rank, chunk, cell);
  else thin_slots(rank, chunk, cell);
  words(rank, chunk, cell);
  if (model_.reduces() && cell.fewest >= layout_.slots && !values_)
    pen_.box(
        united(united(layout_.slot(rank, chunk, 0), layout_.slot(rank, chunk, layout_.slots - 1)),
               layout_.slot(rank, chunk, std::clamp(style_.per_line - 1, 0, layout_.slots - 1)))
            .grown(std::min(1.5, style_.gap / 2 + 0.5)),
        {}, toned({Tone::text}), 4, 1.5);
  if (!now.target || joins_targets()) return;
  target(line, now);
  if (now.adds && !style_.level) plus(layout_.plus(rank, chunk), now.pulse, style_.pitch);
}

// One frame for rows that change together, or for cells of one line: many thin ones would cover what they frame.
void StageCards::joined_targets(Rank rank, std::span<const StageRowNow> rows) {
  const auto alike = [](const StageRowNow& a, const StageRowNow& b) {
    return a.target == b.target && a.adds == b.adds && a.hue == b.hue;
  };
  const std::size_t line =
      style_.columns > 0 ? static_cast<std::size_t>(style_.columns) : rows.size();
  for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
    for (end = first + 1; end < rows.size() && end % line != 0 && alike(rows[first], rows[end]);)
      ++end;
    if (!rows[first].target) continue;
    const auto chunk = static_cast<int>(first), last = static_cast<int>(end) - 1;
    pale_ = pale(rank, last > chunk ? -1 : chunk);
    target(united(layout_.row(rank, chunk), layout_.row(rank, last)), rows[first]);
    if (rows[first].adds && !style_.level)
      plus(layout_.plus(rank, (chunk + last) / 2), rows[first].pulse,
           style_.pitch * (last - chunk + 1));
  }
}

// Marks the chunk with the first wrong element, and outlines the parts that it lacks. If its parts are unknown, the bar is
// hollow and shows the wrong value, because a full bar looks right.
void StageCards::wrong(Rank rank, int chunk, const DataCell& cell, const meant::WrongResult& bad) {
  const Box line = layout_.row(rank, chunk);
  const double inset = style_.labels ? 2 : 0;
  pen_.box({line.x, line.y + inset, line.width, line.height - 2 * inset}, {}, Ink{Tone::error}, 4,
           2);
  if (values_) return;
  for (std::size_t i = 0; i < cell.slots.size(); ++i) {
    if (model_.reduces() && cell.slots[i].whole()) continue;
    const Box slot = layout_.slot(rank, chunk, static_cast<int>(i)).grown(-0.5);
    pen_.box(slot, Ink{Tone::page}, Ink{Tone::error}, 2, 1.5).dotted = true;
    const Font font = letters(kCaptionStrong);
    if (!model_.reduces() && pen_.width(bad.got, font) < slot.width - 2)
      pen_.level(bad.got, slot.center(), font, {Tone::error});
  }
}

// Around the row or the cell, on top of its slots.
void StageCards::target(const Box& line, const StageRowNow& now) {
  const double inset = style_.labels ? 2 : 0.5;
  if (style_.per_line > 0) return;  // its plus says it
  const Box box =
      style_.columns > 0 ? line : Box{line.x, line.y + inset, line.width, line.height - 2 * inset};
  pen_.box(box, {}, toned({Tone::text, 0, 0.5F}), 4, style_.labels ? 2.8 : 2);
  pen_.box(box, {}, toned(now.hue), 4, style_.labels ? 2 : 1.2);
}

void StageCards::level(Rank rank, int chunk, const DataCell& cell) {
  const Box box = layout_.slot(rank, chunk, 0);
  pen_.box(box, toned({Tone::lane}));
  const double height = box.height * cell.held();
  if (height > 0.2)
    pen_.box({box.x, box.bottom() - height, box.width, height},
             toned(stage_slot_ink(model_, chunk, -1)));
}

void StageCards::slot(const Box& box, Ink fill, const CellPart& part, const std::string& digits) {
  const double radius = std::min(3.0, box.width / 4);
  if (!part.whole()) pen_.box(box, Ink{Tone::page}, toned({Tone::grid}), radius);
  if (!part.any()) {
    if (style_.columns > 0 && style_.digits && !model_.regroups())
      pen_.level(digits, box.center(), letters(kCaption), {Tone::muted});
    return;
  }
  if (part.whole()) {
    pen_.box(box, toned(fill), toned({Tone::muted}), radius);
  } else {
    // Below its number, so that it can be read.
    const double high = style_.digits ? std::min(4 * style_.scale, box.height / 4) : box.height;
    pen_.box(part.in({box.x, box.bottom() - high, box.width, high}), toned(fill),
             toned({Tone::muted}), 0);
  }
  if (digits.empty() || !style_.digits) return;
  const bool plain = !part.whole() || pale_;
  const Font font = letters(kCaptionStrong);
  if (pen_.width(digits, font) <= box.width - 1)
    pen_.level(digits, box.center(), font, plain ? Ink{Tone::text} : text_on(fill));
}

void StageCards::slots(Rank rank, int chunk, const DataCell& cell) {
  for (std::size_t i = 0; i < cell.slots.size(); ++i) {
    const int number = static_cast<int>(i);
    const Box box = layout_.slot(rank, chunk, number);
    std::string digits = fmt::format("{}", model_.reduces() ? number : cell.origin);
    if (!model_.reduces() && cell.origin < 0) digits.clear();
    if (model_.regroups() && cell.origin >= 0 && cell.origin_chunk >= 0)
      digits = fmt::format("{}→{}", cell.origin, cell.origin_chunk);
    if (style_.columns > 0 && !model_.regroups()) digits = fmt::format("c{}", chunk);
    slot(box, stage_slot_ink(model_, chunk, cell.origin), cell.slots[i], digits);
    if (cell.times.size() > i && cell.times[i] > 1)
      pen_.box(box.grown(1), {}, Ink{Tone::error}, 3, 2);
  }
}

// One box for the row, and one for full slots side by side.
void StageCards::thin_slots(Rank rank, int chunk, const DataCell& cell) {
  const auto count = cell.slots.size();
  if (count == 0) return;
  const Box first = layout_.slot(rank, chunk, 0),
            last = layout_.slot(rank, chunk, static_cast<int>(count) - 1);
  pen_.box(united(first, last), toned({Tone::lane}));
  for (std::size_t i = 0; i < count;) {
    std::size_t end = i + 1;
    const CellPart& part = cell.slots[i];
    while (end < count && part.whole() && cell.slots[end].whole()) ++end;
    if (part.any())
      pen_.box(part.in(united(layout_.slot(rank, chunk, static_cast<int>(i)),
                              layout_.slot(rank, chunk, static_cast<int>(end) - 1))),
               toned(stage_slot_ink(model_, chunk, cell.origin)));
    i = end;
  }
}

// While it is added, what came stands beside it where there is room: "4 + 7".
void StageCards::shown_values(Rank rank, int chunk, const DataCell& cell, const StageRowNow& now) {
  const Box box = layout_.slot(rank, chunk, 0);
  std::string all = fmt::format("{}", fmt::join(cell.values, ", "));
  const Font font = letters({12, Font::Weight::regular, true});
  if (const std::string sum = all + " + " + now.came;
      !now.came.empty() && pen_.width(sum, font) <= box.width)
    all = sum;
  pen_.level(pen_.ruler().fitted(all, font, box.width), {box.x, box.center().y}, font,
             pale_ ? Ink{Tone::muted} : Ink{Tone::text}, Anchor::start);
}

std::string StageCards::count_text(Rank rank, const DataCell& cell) const {
  if (cell.worst() > 1) return fmt::format("{} twice", cell.doubled().front());
  if (!model_.reduces()) {
    if (!style_.words || !cell.holds_anything()) return "";
    if (model_.regroups()) return "";
    if (cell.origin == rank) return "own";
    return cell.origin >= 0 ? fmt::format("rank {}'s", cell.origin) : "";
  }
  return style_.words ? fmt::format("has {} of {}", cell.most, layout_.slots)
                      : fmt::format("{}/{}", cell.most, layout_.slots);
}

// Bold: all ranks' parts are in it.
void StageCards::words(Rank rank, int chunk, const DataCell& cell) {
  if (style_.count_width <= 0) return;
  const Box line = layout_.row(rank, chunk);
  const double right = layout_.cards[static_cast<std::size_t>(rank)].right() - style_.pad;
  const std::string count = count_text(rank, cell);
  const bool strong = cell.fewest >= layout_.slots && model_.reduces();
  if (!count.empty()) {
    const Font font = letters(strong ? kCaptionStrong : kCaption);
    const Ink ink = cell.worst() > 1   ? Ink{Tone::error}
                    : strong && !pale_ ? Ink{Tone::text}
                                       : Ink{Tone::muted};
    if (pen_.width(count, font) <= style_.count_width)
      pen_.level(count, {right, line.center().y}, font, ink, Anchor::end);
  }
}

// Drawn, so that it looks the same in each font.
void StageCards::plus(Point at, double pulse, double room) {
  const double radius =
      std::min(style_.labels ? 6.5 : 5.0, room * 0.42) * style_.scale * (1 + 0.45 * pulse);
  if (radius < 2.5) return;
  pen_.circle(at, radius, Ink{Tone::panel}, Ink{Tone::text}).line_width = 1.2 + pulse;
  pen_.line({at.x - radius * 0.55, at.y}, {at.x + radius * 0.55, at.y}, {Tone::text}, 1.2 + pulse);
  pen_.line({at.x, at.y - radius * 0.55}, {at.x, at.y + radius * 0.55}, {Tone::text}, 1.2 + pulse);
}

std::vector<StageCardNow> stage_cards_at(const StageCardsOf& of, StageModel& model, bool words) {
  std::vector<StageCardNow> all(static_cast<std::size_t>(model.world()));
  for (StageCardNow& card : all) {
    card.rows.resize(static_cast<std::size_t>(model.chunks()));
    card.ended = of.ended;
  }
  if (of.round == 0) return all;
  std::vector<int> received(all.size(), 0);
  for (const StageCargo& cargo : model.cargo(of.round)) {
    StageCardNow &to = all[static_cast<std::size_t>(cargo.to)],
                 &from = all[static_cast<std::size_t>(cargo.from)];
    const int chunks = model.chunks();
    for (int c = std::max(cargo.into_first, 0); c <= cargo.into_last && c < chunks; ++c) {
      StageRowNow& row = to.rows[static_cast<std::size_t>(c)];
      row.target = of.goes_on;
      row.adds = row.adds || cargo.adds;
      row.pulse = of.pulse;
      row.hue = stage_cargo_ink(cargo);
    }
    if (of.docked && cargo.adds && !cargo.value.empty() && cargo.into_first == cargo.into_last &&
        cargo.into_first >= 0 && cargo.into_first < chunks)
      to.rows[static_cast<std::size_t>(cargo.into_first)].came =
          cargo.value.substr(cargo.label.empty() ? 0 : cargo.label.size() + 2);
    if (!words) continue;
    const std::string what = model.whole() || model.regroups() ? "" : cargo.label + " ";
    const int count = ++received[static_cast<std::size_t>(cargo.to)];
    to.activity = count > 1     ? fmt::format("gets {} messages", count)
                  : cargo.empty ? fmt::format("hears from rank {}", cargo.from)
                                : fmt::format("{} {}from rank {}", cargo.adds ? "adds" : "gets",
                                              what, cargo.from);
    if (from.activity.empty())
      from.activity = cargo.empty ? fmt::format("signals rank {}", cargo.to)
                                  : fmt::format("sends {}to rank {}", what, cargo.to);
  }
  return all;
}

Ink stage_slot_ink(const StageModel& model, int chunk, Rank origin) {
  if (model.regroups()) return {Tone::chunk, std::max(origin, 0)};
  if (!model.whole()) return {Tone::chunk, chunk};
  return {Tone::whole};
}

Ink stage_cargo_ink(const StageCargo& cargo) {
  if (cargo.empty || cargo.several()) return {Tone::muted};
  return cargo.hue >= 0 ? Ink{Tone::chunk, cargo.hue} : Ink{Tone::whole};
}

// Draws the badge as words at the right of the name, else as a sign, in the corner if the card has no other room.
void StageCards::stands(Rank rank, const Box& card, const LiveBadge& stands) {
  const double y =
      card.y + (style_.dot ? card.height : style_.head) / 2 + (style_.words ? 2 * style_.scale : 0);
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
  if (style_.dot || layout_.rows == 0 || values_) return;
  const std::string words =
      fmt::format("Each {} is {}",
                  style_.columns > 0    ? "cell"
                  : style_.per_line > 0 ? "card"
                                        : "row",
                  style_.level       ? "one sum, as full as it has parts of all ranks"
                  : model_.reduces() ? "one sum: its slots show whose parts are in it"
                                     : "a chunk of its own: nothing is added");
  if (pen_.width(words, kCaption) <= room)
    pen_.text(words, at, kCaption, {Tone::muted}, Anchor::end);
}

std::string StageCards::story(Rank rank, const StageCells& cells) const {
  std::string text = fmt::format("rank {}", rank);
  if (const auto* wait = trouble_.of(rank))
    text += fmt::format("\n{}{}: {}", wait->what, wait->line.empty() ? "" : ", " + wait->line,
                        wait->why);
  if (trouble_.is_lost(rank)) text += "\nwas lost";
  if (trouble_.has_ended(rank)) text += "\nhas ended";
  if (const auto* bad = trouble_.wrong_at(rank))
    text +=
        fmt::format("\nelement {} is {}, it should be {}", bad->element, bad->got, bad->expected);
  if (cells.empty()) return text;
  const auto whole = ranges::count_if(cells, [&](const auto& cell) {
    return model_.reduces() ? cell->complete : !cell->slots.empty() && cell->slots[0].whole();
  });
  // After a scatter, gather or reduce-scatter a rank should have only the chunks that it has memory for.
  const auto* const collective = model_.analysis().pieces().collective();
  const bool parts =
      collective != nullptr && (collective->out == Extent::chunk || collective->result_at_root);
  const auto due = parts ? ranges::count_if(cells, [](const auto& cell) { return cell->exists(); })
                         : std::ssize(cells);
  if (due < 2)
    return text + fmt::format("\nits {} {}", model_.whole() ? "data" : "chunk",
                              model_.reduces() ? whole > 0 ? "holds every rank's part"
                                                           : "lacks parts of other ranks"
                              : whole > 0      ? "is here"
                                               : "is not here yet");
  return text + fmt::format("\n{} of {} chunks {}", whole, due,
                            model_.reduces() ? "hold every rank's part" : "are here");
}

std::string StageCards::story(Rank rank, int chunk, const DataCell& cell) const {
  std::string text =
      model_.whole() ? fmt::format("rank {}", rank) : fmt::format("rank {}, chunk {}", rank, chunk);
  if (!cell.exists()) return text + "\nhas no element of it";
  if (!cell.holds_anything()) return text + "\nholds nothing yet";
  if (!model_.reduces())
    return text + (cell.origin >= 0 ? fmt::format("\nfrom rank {}", cell.origin) : "\nin parts");
  std::vector<int> held;
  for (std::size_t i = 0; i < cell.slots.size(); ++i)
    if (cell.slots[i].any()) held.push_back(static_cast<int>(i));
  return text + fmt::format("\nholds the parts of {} of {} ranks: {}", held.size(), layout_.slots,
                            fmt::join(held, ", "));
}

}  // namespace rankscope
