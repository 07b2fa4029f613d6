// Lists the styles of cards, and measures them.
#include "engine/diagrams/stage/stage_styles.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace rankscope {
namespace {

constexpr int kFewChunks = 4, kManyChunks = 8;  // up to these below each other, with their names

StageStyle slots_style(double slot, double gap, double pitch, double pad, double head) {
  StageStyle style;
  style.slot_width = style.slot_height = slot;
  style.gap = gap;
  style.pitch = pitch;
  style.pad = pad;
  style.head = head;
  return style;
}

// Chunks side by side in cells that carry their names.
StageStyle named_cells(int columns, bool words) {
  StageStyle style = slots_style(24, 3, 22, 10, words ? 32 : 26);
  style.columns = columns;
  style.words = words;
  style.digits = true;
  style.slot_height = 18;
  return style;
}

StageStyle plain_cells(int columns, double cell, double gap, bool named) {
  StageStyle style = slots_style(cell, gap, cell + gap, 6, 21);
  style.columns = columns;
  style.named = named;
  return style;
}

// A chunk of data that is only moved has one slot, so that a card may be as wide as it is high.
std::vector<StageStyle> cell_styles(int chunks) {
  const int square = static_cast<int>(std::ceil(std::sqrt(chunks)));
  std::vector<int> widths;
  for (const int columns : {chunks, (chunks + 1) / 2, square})
    if (chunks <= 8 || columns == square) widths.push_back(columns);
  std::vector<StageStyle> styles;
  for (const bool words : {true, false})
    for (const int columns : widths) styles.push_back(named_cells(columns, words));
  for (const double cell : {12.0, 8.0, 6.0, 4.0})
    for (const int columns : widths)
      styles.push_back(plain_cells(columns, cell, cell / 6, cell >= 8));
  return styles;
}

void add_rows(std::vector<StageStyle>& styles, bool values) {
  StageStyle full = slots_style(20, 4, 30, 12, 34);
  full.words = full.labels = full.digits = true;
  StageStyle tight = slots_style(18, 3, 23, 10, 28);
  tight.words = tight.labels = tight.digits = true;
  tight.slot_height = 17;
  StageStyle counted = slots_style(17, 2, 19, 8, 24);
  counted.counts = counted.labels = counted.digits = true;
  counted.slot_height = 16;
  StageStyle named = slots_style(10, 2, 17, 8, 24);
  named.counts = named.labels = true;
  styles.insert(styles.end(), {full, tight, counted, named});
  if (values) return;
  styles.push_back(slots_style(9, 2, 11, 7, 23));
}

// One sum of all ranks' vectors: a tile with the rank's number, and beside it a grid of its slots.
std::vector<StageStyle> grid_styles(int slots) {
  int per_line = 4;
  while (per_line * per_line < slots) per_line *= 2;
  const int lines = (slots + per_line - 1) / per_line;
  std::vector<StageStyle> styles;
  for (const double slot : {23.0, 18.0, 14.0, 10.0, 7.0, 5.0, 3.0}) {
    const double gap = slot > 12 ? 3 : slot > 6 ? 2 : 1;
    StageStyle style = slots_style(slot, gap, lines * (slot + gap) - gap, slot > 12 ? 9 : 6, 0);
    style.per_line = per_line;
    style.digits = slot > 16;
    style.labels = slot > 9;
    style.named = false;
    styles.push_back(style);
    if (slot > 14) continue;
    style.head = 18;  // the number above, where the width is wanted
    styles.push_back(style);
  }
  return styles;
}

// Many sums on many ranks, or a low pane: cells, each as full as its sum is. A few are bars side by side.
void add_levels(std::vector<StageStyle>& styles, int chunks, std::initializer_list<double> cells) {
  const bool few = chunks <= kManyChunks;
  const int columns = few ? chunks : static_cast<int>(std::ceil(std::sqrt(chunks)));
  for (const double cell : cells) {
    StageStyle style = plain_cells(columns, cell, cell > 8 ? 2 : 1, few && cell >= 8);
    style.level = true;
    if (few) style.slot_height = cell < 8 ? 14 : 20, style.pitch = style.slot_height + 2;
    else style.head = 18, style.pad = 5;
    styles.push_back(style);
  }
}

int lines_of(const StageStyle& style, int chunks) {
  if (style.dot) return 0;
  return style.columns > 0 ? (chunks + style.columns - 1) / style.columns : chunks;
}

/// Room for where a blocked rank stands: two lines, or a few words on a smaller card.
void add_foot(StageStyle& style, const StageWishes& wishes, const std::string& rank,
              const Ruler& ruler) {
  if (!wishes.trouble || !style.named || style.dot) return;
  const bool spoken = style.words || style.counts;
  style.foot = (spoken ? 44 : 20) * style.scale;
  const std::string widest = spoken ? "waits for rank " + rank + " to receive" : "send → " + rank;
  const double width = ruler.width(widest, style.letters(kCaption));
  style.width = std::max(style.width, std::ceil(2 * style.pad + width));
}

}  // namespace

std::vector<StageStyle> stage_styles(const StageModel& model, bool values) {
  const int chunks = std::max(model.chunks(), 1);
  std::vector<StageStyle> styles;
  if (!values && !model.reduces() && chunks > kFewChunks) styles = cell_styles(chunks);
  else if (!values && model.reduces() && chunks == 1 && model.slots() > kFewChunks)
    styles = grid_styles(model.slots());
  else {
    if (values || chunks <= kManyChunks) add_rows(styles, values);
    if (!values && !model.reduces()) {
      for (const double slot : {6.0, 4.0, 3.0}) {
        styles.push_back(slots_style(slot, 1, slot + 1, 5, 20));
        styles.back().named = slot > 4;
      }
    } else if (!values) {
      add_levels(styles, chunks, {20, 16});
      if (chunks <= kManyChunks) styles.push_back(slots_style(6, 1, 7, 6, 21));
      add_levels(styles, chunks, {13, 10, 8, 6, 5, 4, 3});
    }
  }
  StageStyle dot = slots_style(0, 0, 0, 3, 16);
  dot.dot = true;
  dot.named = false;
  styles.push_back(dot);
  dot.numbered = false;
  dot.head = 8;
  dot.pad = 0;
  styles.push_back(dot);
  return styles;
}

StageStyle measured_style(StageStyle style, const StageModel& model, const StageWishes& wishes,
                          double scale, const Ruler& ruler) {
  const bool values = wishes.values;
  style.scale = scale;
  const int n = model.world(), chunks = model.chunks();
  const auto width = [&](const std::string& text, const Font& font) {
    return ruler.width(text, style.letters(font));
  };
  const std::string widest = fmt::format("{}", n - 1), of_all = fmt::format("{} of {}", n, n);
  for (double* length :
       {&style.slot_width, &style.slot_height, &style.gap, &style.pitch, &style.pad, &style.head})
    *length *= scale;
  const bool pairs = model.regroups() && style.digits;
  if (style.digits) {
    // In a grid the font shrinks, not the slot.
    const std::string in_slot = pairs               ? fmt::format("{}→{}", widest, widest)
                                : style.columns > 0 ? fmt::format("c{}", chunks - 1)
                                                    : widest;
    style.slot_width = std::max(style.slot_width, width(in_slot, kCaptionStrong) + 5 * scale);
  }
  if (values && !style.dot) style.slot_width = width("100, 1000, 1000 …", kFigures);
  else if (model.slots() == 1 && !style.dot && !pairs && style.columns == 0)
    style.slot_width *= style.digits ? 2 : 3;
  const bool one_row = chunks == 1;
  if (style.labels && !one_row && !model.regroups())
    style.label_width = width(fmt::format("c{}", chunks - 1), kCaptionStrong) + 18 * scale;
  const int across = style.per_line > 0  ? style.per_line
                     : style.columns > 0 ? style.columns
                     : values            ? 1
                                         : model.slots();
  style.least_slot = style.digits ? width(widest, kCaptionStrong) + 2 : 0.3 * style.slot_width;
  style.slots_width = across * (style.slot_width + style.gap) - style.gap;
  if (style.per_line > 0 && style.head == 0)
    style.label_width =
        std::max(width(widest, kBodyStrong) + 10 * scale, std::min(32 * scale, style.pitch)) +
        8 * scale;
  if (model.reduces() && !style.dot && !style.level && (style.per_line == 0 || style.head == 0))
    style.plus_width = (style.words ? 28 : style.labels ? 20 : 14) * scale;
  if (style.words && style.columns == 0) {
    style.count_width =
        width(model.reduces() ? "has " + of_all : "rank " + widest + "'s", kCaptionStrong) +
        8 * scale;
  } else if (style.counts && model.reduces()) {
    style.count_width = width(fmt::format("{0}/{0}", n), kCaption) + 6 * scale;
  }
  const double name =
      width(style.named ? "rank " + widest : widest, style.named ? kBodyStrong : kCaptionStrong);
  double least = style.numbered ? name : 8 * scale;
  if (style.words)
    least += 16 * scale + width(fmt::format("adds c{0} from rank {0}", widest), kCaption);
  double body = 0;
  if (chunks > 0 && !style.dot)
    body = style.label_width + style.slots_width + style.plus_width + style.count_width;
  // A row that ends before the card does looks as if something were missing.
  if (const double spare = least - body;
      body > 0 && spare > 0 && (across == 1 || style.columns > 0 || style.count_width == 0)) {
    style.slot_width += spare / across;
    style.slots_width += spare;
  }
  const int rows = lines_of(style, chunks);
  if (style.per_line > 0) {
    style.width = std::ceil(2 * style.pad + body);
    style.head = std::max(style.head, style.pad);
    style.height = std::ceil(style.head + style.pitch + style.pad);
    return style;
  }
  style.width = std::ceil(2 * style.pad + std::max(least, body));
  add_foot(style, wishes, widest, ruler);
  style.height =
      std::ceil(style.head + rows * style.pitch + style.foot + (rows > 0 ? style.pad : 0));
  return style;
}

}  // namespace rankscope
