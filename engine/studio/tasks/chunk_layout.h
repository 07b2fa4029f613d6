// The places of a schedule's chunks in each rank's memory, with their first contents and the promised ones.
#pragma once

#include <utility>
#include <vector>

#include "engine/account/promise.h"
#include "engine/studio/tasks/task_graph.h"

namespace rankscope {

/// The cells of each rank: its chunks of memory, each once (input, output unless in place, scratch). The elements of
/// shares are chunks of the whole.
class ChunkLayout {
 public:
  /// Throws UserError for a collective without data, or with chunks that its ranks cannot share.
  explicit ChunkLayout(const TaskGraph& graph);

  int cells(Rank rank) const noexcept;
  /// The cell of a place; -1 outside of the whole.
  int cell(Rank rank, const ChunkPlace& at) const noexcept;
  /// The chunk of the whole (or of the scratch memory) that a cell is.
  ChunkPlace place(Rank rank, int cell) const noexcept;

  using Cells = std::vector<std::pair<int, account::Shares>>;
  Cells inputs(Rank rank) const;
  /// The chunks that the collective promises.
  Cells outputs(Rank rank) const;

 private:
  int offset(Rank rank, ChunkMemory memory) const noexcept;

  const TaskGraph& graph_;
  account::Call call_;
  int own_ = 0;                                // chunks that are one rank's
  bool small_in_ = false, small_out_ = false;  // has own_ chunks only
};

}  // namespace rankscope
