// Buffer grids for a pane of a window: cells as rich as the pane has room for, the same at every moment.
#pragma once

#include <memory>

#include "engine/diagrams/grid/buffer_grid.h"

namespace rankscope {

/// Where letters have no room, a cell is a patch of colour, and every so many a rank or a chunk has its number: so
/// the grid of 64 ranks fits, too. Elements (Show::values) are never left out: their grid may be larger than the pane.
class FittedGrids {
 public:
  /// `options` without round, heading, width and low. Throws as buffer_grid() does.
  FittedGrids(const TraceAnalysis& analysis, BufferGridOptions options, double width, double height,
              const Ruler& ruler);
  FittedGrids(const TraceAnalysis&, BufferGridOptions, double, double, const Ruler&&) = delete;
  ~FittedGrids();
  FittedGrids(const FittedGrids&) = delete;
  FittedGrids& operator=(const FittedGrids&) = delete;

  /// After so many rounds, or kEnd. Not for several threads at once.
  Scene draw(int round);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rankscope
