// Chooses the cell style with the most detail that fits the available space.
#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/grid/grid_painter.h"

namespace rankscope {
namespace {

constexpr double kCaptionHeight = 16, kStyleHead = 28;
constexpr int kMostLanes = 3;

struct Size {
  double slot_width, slot_height, slot_gap, pad, gap;
  bool digits;
};
// Large, middle, small.
constexpr Size kSizes[] = {
    {32, 20, 4, 8, 8, true}, {22, 18, 2, 8, 8, true}, {10, 10, 2, 5, 4, false}};

int slots_per_line(int ranks) {
  return ranks <= 4 ? std::max(ranks, 1) : ranks <= 6 ? 3 : ranks == 9 ? 3 : 4;
}

GridStyle slots(int ranks, const Size& size, const Ruler& ruler) {
  GridStyle style;
  style.per_line = slots_per_line(ranks);
  style.slot_width = size.slot_width;
  style.slot_height = size.slot_height;
  style.slot_gap = size.slot_gap;
  style.digits = size.digits;
  style.pad = size.pad;
  style.gap = size.gap;
  const int lines = (ranks + style.per_line - 1) / style.per_line;
  const double slots = style.per_line * (size.slot_width + size.slot_gap) - size.slot_gap;
  const double caption =
      ruler.width(size.digits ? "complete" : fmt::format("{0} of {0}", ranks), kCaption);
  style.cell_width = std::ceil(std::max(slots, caption) + 2 * size.pad);
  style.cell_height =
      2 * size.pad + lines * (size.slot_height + size.slot_gap) + kCaptionHeight - 2;
  return style;
}

// One line of slots with the count beside it.
GridStyle low_slots(int ranks, const Size& size, const Ruler& ruler) {
  GridStyle style = slots(ranks, size, ruler);
  style.beside = true;
  style.per_line = ranks;
  style.pad = size.digits ? 6 : 4;
  const double slots = ranks * (size.slot_width + size.slot_gap);
  style.cell_width =
      std::ceil(slots + ruler.width(fmt::format("{0}/{0}", ranks), kCaption)) + 2 + 2 * style.pad;
  style.cell_height = 2 * style.pad + std::max(size.slot_height, kCaptionHeight);
  return style;
}

GridStyle levels(int ranks, const Ruler& ruler) {
  GridStyle style;
  style.cells = GridStyle::Cells::levels;
  style.digits = false;
  style.pad = 1;
  style.gap = 1;
  style.cell_width = std::ceil(ruler.width(fmt::format("{}", ranks), kCaption)) + 3;
  style.cell_height = 24;
  return style;
}

GridStyle stripes(const std::string& widest, double height, double gap, const Ruler& ruler) {
  GridStyle style;
  style.cells = GridStyle::Cells::stripes;
  style.pad = 3;
  style.gap = gap;
  style.cell_width = std::ceil(ruler.width(widest, kCaptionStrong)) + 6 + 2 * gap;
  style.cell_height = height;
  return style;
}

GridStyle values(double widest, std::size_t most, int per_line, const Font& font) {
  GridStyle style;
  style.cells = GridStyle::Cells::values;
  style.value_font = font;
  style.per_line = per_line;
  style.slot_width = std::ceil(widest);
  style.slot_height = 20;
  style.slot_gap = 8;
  style.pad = font.size >= 14 ? 8 : 5;
  style.gap = font.size >= 14 ? 8 : 4;
  const auto lines =
      (most + static_cast<std::size_t>(per_line) - 1) / static_cast<std::size_t>(per_line);
  style.cell_width =
      per_line * (style.slot_width + style.slot_gap) - style.slot_gap + 2 * style.pad;
  style.cell_height =
      static_cast<double>(std::max<std::size_t>(lines, 1)) * style.slot_height + 2 * style.pad - 4;
  return style;
}

std::vector<GridStyle> value_styles(std::span<const GridModel> models, const Ruler& ruler) {
  std::vector<GridStyle> styles;
  for (const double size : {14.0, 12.0}) {
    const Font font{size, Font::Weight::regular, true};
    double widest = 0;
    std::size_t most = 1;
    for (const auto& model : models)
      for (const auto& row : model.rows)
        for (const auto& cell : row.cells) {
          most = std::max(most, cell.values.size());
          for (const auto& value : cell.values) widest = std::max(widest, ruler.width(value, font));
        }
    for (const int per_line : {4, 2, 1})
      if (per_line == 1 || static_cast<std::size_t>(per_line) <= most)
        styles.push_back(values(widest, most, per_line, font));
  }
  return styles;
}

std::vector<GridStyle> styles_for(std::span<const GridModel> models, bool show_values,
                                  const Ruler& ruler, bool low) {
  const GridModel& model = models.front();
  if (show_values) return value_styles(models, ruler);
  const int last = model.world - 1;
  std::vector<GridStyle> styles;
  if (model.reduces) {
    if (low && model.world <= 8)
      for (const auto& size : kSizes) styles.push_back(low_slots(model.world, size, ruler));
    else if (model.world <= 16)
      for (const auto& size : kSizes) styles.push_back(slots(model.world, size, ruler));
    styles.push_back(levels(model.world, ruler));
    return styles;
  }
  const auto pair = model.alltoall ? fmt::format("{0}→{0}", last) : fmt::format("from {}", last);
  styles.push_back(stripes(pair, 40, 8, ruler));
  styles.push_back(stripes(pair, 32, 4, ruler));
  styles.push_back(stripes(fmt::format("{}", last), 24, 2, ruler));
  return styles;
}

double label_width(std::span<const GridModel> models, const Ruler& ruler) {
  double width = 0;
  for (const auto& model : models)
    for (const auto& row : model.rows) {
      const auto name = fmt::format("rank {}", row.rank);
      width = std::max(width, ruler.width(name, kBodyStrong));
      width = std::max(width, std::min(96.0, ruler.width(row.buffer, kCaption)));
    }
  return std::ceil(width) + 18 + 16;  // a swatch before it, and room behind
}

int lanes_needed(std::span<const GridModel> models, const GridStyle& style, const Ruler& ruler) {
  int lanes = 0;
  for (const auto& model : models)
    for (const auto& row : model.rows)
      for (const auto& chip : chips_below(model, style, row.rank, ruler))
        lanes = std::max(lanes, chip.lane + 1);
  return lanes;
}

std::string chip_text(const GridFlight& flight) {
  if (flight.to.size() > 4) return fmt::format("{} → {} ranks", flight.what, flight.to.size());
  return fmt::format("{} → {}", flight.what, fmt::join(flight.to, ", "));
}

/// Keeps a chip that goes down to the left of one that comes up in the same columns.
double aside(const GridModel& model, const GridFlight& flight, double width) {
  constexpr double kApart = 3;
  if (flight.to.size() != 1) return 0;
  const bool meets = ranges::any_of(model.flights, [&](const GridFlight& other) {
    return other.from == flight.to[0] && other.to.size() == 1 && other.to[0] == flight.from &&
           other.first <= flight.last && flight.first <= other.last;
  });
  if (!meets) return 0;
  return (flight.from < flight.to[0] ? -1 : 1) * (width / 2 + kApart);
}

}  // namespace

GridStyle choose_style(std::span<const GridModel> models, bool values, double width,
                       const Ruler& ruler, bool low, double height) {
  auto styles = styles_for(models, values, ruler, low);
  GridStyle chosen;
  for (auto& style : styles) {
    style.label_width = label_width(models, ruler);
    chosen = style;
    const Box extent = grid_extent(models.front(), style);
    if (extent.width <= width && extent.height <= height) break;
  }
  chosen.lanes = lanes_needed(models, chosen, ruler);
  return chosen;
}

GridStyle dense_style(const GridModel& model, double width, double height, const Ruler& ruler) {
  GridStyle style;
  style.dense = true;
  style.digits = false;
  style.cells = model.reduces ? GridStyle::Cells::levels : GridStyle::Cells::stripes;
  style.label_width =
      std::ceil(ruler.width(fmt::format("rank {}", model.world - 1), kCaptionStrong)) + 8;
  const auto share = [](double room, std::size_t count, double gap) {
    return (room + gap) / static_cast<double>(std::max<std::size_t>(count, 1)) - gap;
  };
  const auto columns = static_cast<std::size_t>(model.columns);
  const double across = width - style.label_width, down = height - kStyleHead;
  style.gap = share(across, columns, 1) > 5 && share(down, model.rows.size(), 1) > 5 ? 1 : 0;
  style.pad = 0;
  style.cell_width = std::max(share(across, columns, style.gap), 0.5);
  style.cell_height = std::max(share(down, model.rows.size(), style.gap), 0.5);
  return style;
}

std::vector<GridChip> chips_below(const GridModel& model, const GridStyle& style, Rank rank,
                                  const Ruler& ruler) {
  constexpr double kGap = 4;
  const double left = style.column_x(0), right = style.grid_width(model.columns);
  const auto width_of = [&](const std::string& text) {
    return ruler.width(text, kCaptionStrong) + 16;
  };
  std::vector<GridChip> chips;
  for (std::size_t i = 0; i < model.flights.size(); ++i) {
    const auto& flight = model.flights[i];
    if (flight.from != rank) continue;
    GridChip chip{{i}, chip_text(flight), flight.chunk, 0, 0, 0};
    chip.width = width_of(chip.text);
    const double center =
        (style.column_x(flight.first) + style.column_x(flight.last) + style.cell_width) / 2 +
        aside(model, flight, chip.width);
    chip.x = std::clamp(center - chip.width / 2, left, std::max(left, right - chip.width));
    chips.push_back(std::move(chip));
  }
  ranges::stable_sort(chips, {}, &GridChip::x);
  std::vector<double> used(kMostLanes, left);
  for (auto& chip : chips) {
    const auto lane = ranges::find_if(used, [&](double end) { return chip.x >= end; });
    if (lane == used.end()) {
      GridChip all{{}, fmt::format("{} messages", chips.size()), -1, left, 0, 0};
      all.width = width_of(all.text);
      for (const auto& one : chips) all.flights.push_back(one.flights.front());
      return {all};
    }
    chip.lane = static_cast<int>(lane - used.begin());
    *lane = chip.x + chip.width + kGap;
  }
  return chips;
}

Box grid_extent(const GridModel& model, const GridStyle& style) {
  const auto rows = static_cast<double>(model.rows.size());
  return {
      0, 0, style.grid_width(model.columns),
      kStyleHead + rows * style.row_pitch() - (style.beside && style.lanes > 0 ? 0 : style.gap)};
}

}  // namespace rankscope
