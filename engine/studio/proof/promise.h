// What a collective promises in chunks: where the ranks' contributions lie at first, and where they should be in the end.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/studio/tasks/task_graph.h"

namespace rankscope {

/// How often one rank's chunk (by its number in the whole) is in a value.
struct ChunkShare {
  Rank source = 0;
  int chunk = 0;
  int times = 1;
  bool operator==(const ChunkShare&) const = default;
};
/// Sorted by source, then chunk. Empty: nobody's.
using ChunkShares = std::vector<ChunkShare>;

class Promise {
 public:
  /// Throws UserError for a collective without data, or with chunks that its ranks cannot share.
  explicit Promise(const TaskGraph& graph);

  /// Cells are a rank's chunks of memory, each once: input, output (unless in place), scratch.
  int cells(Rank rank) const noexcept;
  /// The cell of a place; -1: it is outside of the whole.
  int cell(Rank rank, const ChunkPlace& at) const noexcept;
  /// How people call a cell: its chunk of the whole (or of the scratch memory).
  ChunkPlace place(Rank rank, int cell) const noexcept;

  struct Cell {
    int cell;
    ChunkShares shares;
  };
  std::vector<Cell> inputs(Rank rank) const;
  std::vector<Cell> outputs(Rank rank) const;

 private:
  int offset(Rank rank, ChunkMemory memory) const noexcept;

  const TaskGraph& graph_;
  const CollectiveTraits& traits_;
  int own_ = 0;                                // chunks that are one rank's
  bool small_in_ = false, small_out_ = false;  // has own_ chunks only
};

}  // namespace rankscope
