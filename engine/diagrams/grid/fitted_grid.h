// Buffer grids for a pane of a window: cells as rich as the pane has room for, the same at every moment.
#pragma once

#include <memory>

#include "engine/diagrams/grid/buffer_grid.h"

namespace rankscope {

/// If letters have no room, cells are patches of colour, and only some ranks and chunks are numbered, so that even 64
/// ranks fit. Elements (Show::values) are never left out: their grid may be larger than the pane.
class FittedGrids {
 public:
  /// Ignores the round, heading, width and `low` of `options`. Throws as buffer_grid() does.
  FittedGrids(const TraceAnalysis& analysis, BufferGridOptions options, double width, double height,
              const Ruler& ruler);
  FittedGrids(const TraceAnalysis&, BufferGridOptions, double, double, const Ruler&&) = delete;
  ~FittedGrids();
  FittedGrids(const FittedGrids&) = delete;
  FittedGrids& operator=(const FittedGrids&) = delete;

  /// Draws the moment after `round` rounds, or kEnd. Not thread-safe.
  Scene draw(int round);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rankscope
