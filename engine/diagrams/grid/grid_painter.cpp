// Draws the cells of a buffer grid: slots, chips, values and marks for changes.
#include "engine/diagrams/grid/grid_painter.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

constexpr double kRoomForCorner = 32, kLeastWords = 14.5;
constexpr double kGridHead = 28, kChip = 20;

std::string ranks_text(const std::vector<int>& times) {
  std::string text;
  for (std::size_t r = 0; r < times.size(); ++r) {
    if (times[r] == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", r);
    if (times[r] > 1) text += fmt::format(" (×{})", times[r]);
  }
  return text;
}

std::string count_text(const DataCell& cell) {
  return cell.fewest == cell.most ? fmt::format("{}", cell.most)
                                  : fmt::format("{}–{}", cell.fewest, cell.most);
}

class Painter {
 public:
  Painter(Drawing& pen, const GridModel& model, const GridStyle& style, Point at,
          const std::string& prefix, GridNotes& notes)
      : pen_(pen), model_(model), style_(style), at_(at), prefix_(prefix), notes_(notes) {}

  void paint() {
    heads();
    for (std::size_t r = 0; r < model_.rows.size(); ++r) {
      label(r);
      for (int c = 0; c < model_.columns; ++c) cell(r, c);
      chips(r);
    }
    pen_.group(-1);
  }

 private:
  double x_of(int column) const { return at_.x + style_.column_x(column); }
  double y_of(std::size_t row) const {
    return at_.y + kGridHead + static_cast<double>(row) * style_.row_pitch();
  }
  Box box_of(std::size_t row, int column) const {
    return {x_of(column), y_of(row), style_.cell_width, style_.cell_height};
  }

  /// Draws chunks' names in their colours; where there is no room, only some numbers.
  void heads() {
    pen_.group(-1);
    const auto last = fmt::format("c{}", model_.columns - 1);
    const bool pills = pen_.width(last, kCaptionStrong) + 8 <= style_.cell_width;
    const double number = pen_.width(fmt::format("{}", model_.columns - 1), kCaption) + 2;
    const int every =
        pills ? 1
              : std::max(1, static_cast<int>(std::ceil(number / (style_.cell_width + style_.gap))));
    for (int c = 0; c < model_.columns; ++c) {
      const Box place{x_of(c), at_.y, style_.cell_width, 20};
      if (!pills) {
        pen_.box({place.x, at_.y + 20, place.width, 4}, Ink{Tone::chunk, c});
        if (c % every == 0) pen_.text_in(place, fmt::format("{}", c), kCaption, {Tone::muted});
        continue;
      }
      const auto name = fmt::format("c{}", c);
      const double width = std::min(place.width, pen_.width(name, kCaptionStrong) + 16);
      const Box pill{place.center().x - width / 2, place.y, width, 20};
      pen_.box(pill, Ink{Tone::chunk, c}, std::nullopt, 10);
      pen_.text_in(pill, name, kCaptionStrong, {Tone::on_chunk, c});
    }
  }

  // Draws only so many labels that they do not touch.
  void dense_label(std::size_t row) {
    const double line = pen_.ruler().height(kCaptionStrong) + 2;
    // Not on the heads above, nor below the last row.
    const double half = line / 2, top = at_.y + 20 + half,
                 bottom = y_of(model_.rows.size() - 1) + style_.cell_height - half + 2;
    const double to_middle = style_.cell_height / 2;
    const double pushed = std::max(
        {0.0, top - y_of(0) - to_middle, y_of(model_.rows.size() - 1) + to_middle - bottom});
    const auto every = static_cast<std::size_t>(std::ceil((line + pushed) / style_.row_pitch()));
    if (row % std::max<std::size_t>(every, 1) != 0) return;
    pen_.level(fmt::format("rank {}", model_.rows[row].rank),
               {at_.x, std::min(std::max(y_of(row) + to_middle, top), bottom)}, kCaptionStrong,
               {model_.rows[row].lost ? Tone::error : Tone::text}, Anchor::start);
  }

  void label(std::size_t row) {
    pen_.group(-1);
    if (style_.dense) return dense_label(row);
    const auto& shown = model_.rows[row];
    const bool named = !shown.buffer.empty() && shown.buffer != "data";
    Box line{at_.x, y_of(row), style_.label_width - 16, style_.cell_height};
    if (named && style_.cell_height >= 32) {
      line = {line.x, line.center().y - 18, line.width, 20};
      const auto name = pen_.ruler().fitted(shown.buffer, kCaption, line.width - 18);
      pen_.text_in({line.x + (shown.lost ? 18 : 0), line.bottom(), line.width, 16}, name, kCaption,
                   {Tone::muted}, Anchor::start);
    }
    if (shown.lost) pen_.cross({line.x + 6, line.center().y}, 5);
    const double indent = shown.lost ? 18 : 0;
    pen_.text_in({line.x + indent, line.y, line.width - indent, line.height},
                 fmt::format("rank {}", shown.rank), kBodyStrong,
                 {shown.lost ? Tone::error : Tone::text}, Anchor::start);
  }

  /// Names the rank that a block of an all-to-all is for.
  std::string destination_text(const DataCell& cell) const {
    const bool block =
        model_.alltoall && cell.stripes.size() == 1 && cell.stripes[0].origin_chunk >= 0;
    return block ? fmt::format(" for rank {}", cell.stripes[0].origin_chunk) : std::string();
  }

  std::string story(std::size_t row, int column, const DataCell& cell) const {
    auto text = fmt::format("rank {}, chunk {}", model_.rows[row].rank, column);
    text += cell.elements.count == 1
                ? fmt::format(" (element {})", cell.elements.offset)
                : fmt::format(" (elements {}–{})", cell.elements.offset, cell.elements.end() - 1);
    if (cell.unknown) text += "\nwritten by code that the trace does not show";
    else if (cell.most == 0) text += "\nnothing yet";
    else if (model_.reduces)
      text += fmt::format("\n{} of {} ranks: {}{}", count_text(cell), model_.world,
                          ranks_text(cell.times), cell.complete ? ": complete" : "");
    else text += "\ndata of rank " + ranks_text(cell.times) + destination_text(cell);
    if (!cell.elsewhere.empty()) text += fmt::format("\nin the buffer \"{}\"", cell.elsewhere);
    if (!cell.values.empty()) text += fmt::format("\nvalues {}", fmt::join(cell.values, ", "));
    if (!cell.changed) return text;
    if (model_.round > model_.rounds) return text + "\nchanged at the end";
    return text + fmt::format("\nchanged in round {}", model_.round);
  }

  void cell(std::size_t row, int column) {
    const auto& cell = model_.rows[row].cells[static_cast<std::size_t>(column)];
    const Box box = box_of(row, column);
    const double radius = style_.cell_width < 40 ? 3 : 6;
    if (style_.dense) return patch(row, column, box, cell);
    if (!cell.exists()) {
      pen_.group(-1);
      pen_.box(box.grown(-0.5), std::nullopt, Ink{Tone::frame}, radius).dotted = true;
      notes_.absent = true;
      return;
    }
    Group group;
    group.id = fmt::format("{}cell-{}-{}", prefix_, model_.rows[row].rank, column);
    group.story = story(row, column, cell);
    pen_.new_group(std::move(group));
    const bool complete = model_.reduces && cell.complete;
    const Ink frame{complete ? Tone::text : Tone::frame};
    pen_.box(box.grown(complete ? -1 : -0.5), Ink{Tone::panel}, frame, radius, complete ? 2 : 1);
    switch (style_.cells) {
      case GridStyle::Cells::slots: slots(box, column, cell); break;
      case GridStyle::Cells::levels: level(box.grown(-2), cell, true); break;
      case GridStyle::Cells::stripes: stripes(box.grown(-style_.pad), column, cell, true); break;
      case GridStyle::Cells::values: values(box, cell); break;
    }
    const bool underlined =
        style_.cells == GridStyle::Cells::levels ||
        (style_.cells == GridStyle::Cells::stripes && style_.cell_height < kRoomForCorner);
    const double inset = style_.cells == GridStyle::Cells::values ? 2 : style_.pad >= 8 ? 4 : 1;
    if (cell.changed) paint_changed(pen_, box, inset, underlined);
    notes_.underlined = notes_.underlined || underlined;
    notes_.changed = notes_.changed || cell.changed;
    notes_.complete = notes_.complete || complete;
    notes_.unknown = notes_.unknown || (cell.unknown && style_.cells != GridStyle::Cells::values);
  }

  void slots(const Box& box, int column, const DataCell& cell) {
    for (int r = 0; r < model_.world; ++r) {
      const int line = r / style_.per_line, place = r % style_.per_line;
      const double width =
          style_.per_line * (style_.slot_width + style_.slot_gap) - style_.slot_gap;
      const double top =
          style_.beside ? box.center().y - style_.slot_height / 2 : box.y + style_.pad;
      const double left = style_.beside ? box.x + style_.pad : box.center().x - width / 2;
      const Box slot{left + place * (style_.slot_width + style_.slot_gap),
                     top + line * (style_.slot_height + style_.slot_gap), style_.slot_width,
                     style_.slot_height};
      this->slot(slot, r, column, cell);
    }
    if (style_.beside) {
      const double slots = style_.per_line * (style_.slot_width + style_.slot_gap);
      return caption(
          {box.x + style_.pad + slots, box.y, box.width - 2 * style_.pad - slots, box.height},
          cell);
    }
    caption({box.x + style_.pad, box.bottom() - style_.pad - 14, box.width - 2 * style_.pad, 16},
            cell);
  }

  /// Returns the hue of what a column's cell holds. A block of an all-to-all keeps the hue of its origin.
  Ink hue(int column, Rank origin = -1) const {
    if (model_.alltoall && origin >= 0) return {Tone::chunk, origin};
    return model_.columns > 1 ? Ink{Tone::chunk, column} : Ink{Tone::whole};
  }

  void slot(const Box& slot, Rank rank, int column, const DataCell& cell) {
    const CellPart& part = cell.slots[static_cast<std::size_t>(rank)];
    const int times = cell.times[static_cast<std::size_t>(rank)];
    const double radius = style_.digits ? 3 : 2;
    if (cell.unknown) {
      pen_.box(slot.grown(-0.5), std::nullopt, Ink{Tone::blocked}, radius).hatched = true;
      return;
    }
    const bool whole = part.whole();
    if (!whole) pen_.box(slot.grown(-0.5), std::nullopt, Ink{Tone::grid}, radius);
    if (times > 1) {
      pen_.box(slot, Ink{Tone::error}, std::nullopt, radius);
      if (style_.digits)
        pen_.text_in(slot, fmt::format("×{}", times), kCaptionStrong, {Tone::page});
    } else if (part.any()) {
      pen_.box(part.in(slot), hue(column), std::nullopt, radius);
      notes_.parts = notes_.parts || !whole;
      if (whole && style_.digits)
        pen_.text_in(slot, fmt::format("{}", rank), kCaptionStrong, text_on(hue(column)));
    } else if (style_.digits) {
      pen_.text_in(slot, fmt::format("{}", rank), kCaption, {Tone::muted});
    }
  }

  void caption(const Box& line, const DataCell& cell) {
    std::vector<std::string> texts;
    Ink ink{Tone::muted};
    if (cell.unknown) {
      texts = {"not known", "?"};
    } else if (cell.worst() > 1) {
      const auto rank = ranges::max_element(cell.times) - cell.times.begin();
      texts = {fmt::format("rank {} ×{}", rank, cell.worst()), fmt::format("×{}", cell.worst())};
      ink = {Tone::error};
      notes_.twice = true;
    } else if (cell.complete) {
      texts = {"complete", fmt::format("{0} of {0}", model_.world),
               fmt::format("{0}/{0}", model_.world)};
      ink = {Tone::good};
    } else if (cell.most == 0) {
      texts = {"nothing", "0"};
    } else {
      texts = {fmt::format("{} of {}", count_text(cell), model_.world),
               fmt::format("{}/{}", count_text(cell), model_.world), count_text(cell)};
    }
    for (const auto& text : texts) {
      if (pen_.width(text, kCaption) > line.width + 0.01) continue;
      pen_.text_in(line, text, kCaption, ink, style_.digits ? Anchor::end : Anchor::middle);
      return;
    }
  }

  /// Draws a cell as a patch of colour, where words or a frame would hide it.
  void patch(std::size_t row, int column, const Box& box, const DataCell& cell) {
    constexpr std::size_t kMostStories = 1100;  // enough for 32 ranks and chunks
    const bool told = model_.rows.size() * static_cast<std::size_t>(model_.columns) <= kMostStories;
    if (told && cell.exists())
      pen_.new_group(Group{fmt::format("{}cell-{}-{}", prefix_, model_.rows[row].rank, column),
                           story(row, column, cell)});
    else pen_.group(-1);
    const bool words = told && box.height >= kLeastWords;
    if (!cell.exists()) {
      pen_.box(box, Ink{Tone::lane, 0, 0.4F});
    } else if (style_.cells == GridStyle::Cells::levels) {
      const double least = pen_.width(fmt::format("{}", cell.most), kCaption) + 6;
      level(box, cell, words && box.width >= least);
    } else {
      pen_.box(box, Ink{Tone::panel});
      stripes(box, column, cell, words);
    }
    if (cell.changed && box.height >= 6 && box.width >= 6)
      pen_.box({box.x + 1, box.bottom() - 2, box.width - 2, 1.2}, Ink{Tone::text});
  }

  void level(const Box& box, const DataCell& cell, bool numbered) {
    const bool twice = cell.worst() > 1;
    const int percent = 100 * cell.most / model_.world;
    if (cell.unknown) pen_.box(box, std::nullopt, Ink{Tone::blocked}).hatched = true;
    else pen_.box(box, twice ? Ink{Tone::error} : Ink{Tone::heat, percent});
    notes_.twice = notes_.twice || twice;
    if (!numbered) return;
    pen_.text_in(box, cell.unknown ? "?" : fmt::format("{}", cell.most), kCaption,
                 cell.unknown ? Ink{Tone::text}
                 : twice      ? Ink{Tone::page}
                              : Ink{Tone::on_heat, percent});
  }

  void stripes(const Box& area, int column, const DataCell& cell, bool labelled) {
    double x = area.x;
    for (const auto& stripe : cell.stripes) {
      const Box part{x, area.y, area.width * stripe.share, area.height};
      x += part.width;
      if (stripe.unknown) {
        pen_.box(part, std::nullopt, Ink{Tone::blocked}).hatched = true;
      } else if (stripe.origin >= 0) {
        stripe_box(part, column, cell, stripe);
        if (labelled) stripe_label(part, column, cell, stripe);
      }
    }
  }

  /// Filled where it belongs; in the algorithm's own memory only framed.
  void stripe_box(const Box& part, int column, const DataCell& cell, const CellStripe& stripe) {
    const Ink ink = hue(column, stripe.origin);
    const double radius = stripe.share > 0.999 && !style_.dense ? 3 : 0;
    if (cell.elsewhere.empty()) pen_.box(part, ink, std::nullopt, radius);
    else pen_.box(part.grown(-1), std::nullopt, ink, radius, 2);
    notes_.elsewhere = notes_.elsewhere || !cell.elsewhere.empty();
  }

  void stripe_label(const Box& part, int column, const DataCell& cell, const CellStripe& stripe) {
    const auto rank = fmt::format("{}", stripe.origin);
    std::vector<std::string> texts = {"from " + rank, rank};
    if (model_.alltoall && stripe.origin_chunk >= 0)
      texts.insert(texts.begin(), fmt::format("{}→{}", rank, stripe.origin_chunk));
    for (const auto& text : texts) {
      if (pen_.width(text, kCaptionStrong) > part.width) continue;
      pen_.text_in(part, text, kCaptionStrong,
                   cell.elsewhere.empty() ? text_on(hue(column, stripe.origin)) : Ink{});
      return;
    }
  }

  void values(const Box& box, const DataCell& cell) {
    const auto per_line = static_cast<std::size_t>(style_.per_line);
    for (std::size_t i = 0; i < cell.values.size(); ++i) {
      const std::size_t line = i / per_line, at = i % per_line;
      const Box place{
          box.x + style_.pad + static_cast<double>(at) * (style_.slot_width + style_.slot_gap),
          box.y + style_.pad - 2 + static_cast<double>(line) * style_.slot_height,
          style_.slot_width, style_.slot_height};
      const bool known = cell.values[i] != "?" && cell.values[i] != "…";
      Font font = style_.value_font;
      if (cell.changed && known) font.weight = Font::Weight::semibold;
      pen_.text_in(place, cell.values[i], font, {known ? Tone::text : Tone::muted}, Anchor::end);
    }
  }

  std::string story(const GridChip& chip) const {
    std::string text;
    for (const auto number : chip.flights) {
      const auto& flight = model_.flights[number];
      text += fmt::format("{}in round {}, rank {} sends {} ({} bytes) to rank {}",
                          text.empty() ? "" : "\n", model_.round + 1, flight.from, flight.what,
                          flight.bytes, fmt::join(flight.to, ", "));
    }
    return text;
  }

  void chips(std::size_t row) {
    const Rank rank = model_.rows[row].rank;
    int number = 0;
    for (const auto& chip : chips_below(model_, style_, rank, pen_.ruler())) {
      const Box box{
          at_.x + chip.x,
          y_of(row) + style_.cell_height + (style_.beside ? 2 : 4) + chip.lane * GridStyle::kLane,
          chip.width, kChip};
      Group group;
      group.id = fmt::format("{}send-{}-{}", prefix_, rank, number++);
      // An animation finds in it where the chip goes.
      if (const auto& flight = model_.flights[chip.flights.front()];
          chip.flights.size() == 1 && flight.to.size() == 1)
        group.id += fmt::format("-to-{}", flight.to.front());
      group.story = story(chip);
      pen_.new_group(std::move(group));
      const bool one = chip.chunk >= 0;
      if (one) pen_.box(box, Ink{Tone::chunk, chip.chunk}, std::nullopt, kChip / 2);
      else pen_.box(box.grown(-0.5), Ink{Tone::panel}, Ink{Tone::text}, kChip / 2);
      pen_.text_in(box, chip.text, kCaptionStrong, one ? Ink{Tone::on_chunk, chip.chunk} : Ink{});
    }
  }

  Drawing& pen_;
  const GridModel& model_;
  const GridStyle& style_;
  const Point at_;
  const std::string& prefix_;
  GridNotes& notes_;
};

}  // namespace

void paint_grid(Drawing& pen, const GridModel& model, const GridStyle& style, Point at,
                const std::string& prefix, GridNotes& notes) {
  Painter(pen, model, style, at, prefix, notes).paint();
}

}  // namespace rankscope
