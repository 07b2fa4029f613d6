// The geometry of buffer grids: how large cells are, and how one is drawn.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/diagrams/grid/grid_model.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {

/// How cells look; the same for all moments of a page.
struct GridStyle {
  enum class Cells : std::uint8_t {
    slots,    ///< One small box per rank.
    levels,   ///< How many ranks, as a number and a depth of colour.
    stripes,  ///< Where data comes from.
    values,
  };
  Cells cells = Cells::slots;
  int per_line = 4;  ///< Slots or values side by side.
  double slot_width = 32, slot_height = 20, slot_gap = 4;
  bool digits = true;  ///< Slots carry their ranks.
  Font value_font{14, Font::Weight::regular, true};
  double pad = 8;
  double cell_width = 0, cell_height = 0;
  double gap = 8;          ///< Between cells.
  double label_width = 0;  ///< Width of the ranks' names.
  int lanes = 0;           ///< Number of lanes of chips below each rank.
  bool dense = false;      ///< Patches of colour without words; only some ranks have their numbers.
  bool beside = false;     ///< The count of ranks stands beside the slots, not below.

  static constexpr double kLane = 24;
  /// Returns the distance between rows, which is smaller without chips.
  double row_pitch() const noexcept {
    return cell_height + (lanes > 0 ? lanes * kLane + (beside ? 0 : 4) : 0) +
           (beside && lanes > 0 ? 0 : gap);
  }

  /// Returns a column's left edge, from the grid's.
  double column_x(int column) const noexcept { return label_width + column * (cell_width + gap); }
  double grid_width(int columns) const noexcept { return column_x(columns) - gap; }
};

constexpr double kAnyHeight = std::numeric_limits<double>::infinity();
/// Returns the largest style with which the grid is at most that wide and high; else the smallest. All models have
/// the same rows and columns.
GridStyle choose_style(std::span<const GridModel> models, bool values, double width,
                       const Ruler& ruler, bool low = false, double height = kAnyHeight);
/// Returns the style of a grid of exactly this size, whatever is in it: patches of colour.
GridStyle dense_style(const GridModel& model, double width, double height, const Ruler& ruler);

/// A message of the next round, below its sender's row.
struct GridChip {
  std::vector<std::size_t>
      flights;  ///< Indices in the model; several where there is no room for each.
  std::string text;
  int chunk = -1;
  double x = 0, width = 0;  ///< From the grid's left edge.
  int lane = 0;
};
/// Returns a rank's chips, side by side or in lanes, without overlaps.
std::vector<GridChip> chips_below(const GridModel& model, const GridStyle& style, Rank rank,
                                  const Ruler& ruler);

/// Width and height of a grid with its column heads.
Box grid_extent(const GridModel& model, const GridStyle& style);

/// The signs that the legend has to explain.
struct GridNotes {
  bool changed = false, complete = false, twice = false, unknown = false, parts = false,
       absent = false, underlined = false, elsewhere = false;
};

/// Draws a grid with its upper left corner at `at`. Groups' ids begin with `prefix`.
void paint_grid(Drawing& pen, const GridModel& model, const GridStyle& style, Point at,
                const std::string& prefix, GridNotes& notes);
/// The small mark of a cell that has changed: a corner, or a line below where there is no room.
void paint_changed(Drawing& pen, const Box& cell, double inset, bool underlined);

}  // namespace rankscope
