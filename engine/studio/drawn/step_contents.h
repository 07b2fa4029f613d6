// The contributions that each rank holds in each chunk after every step of a drawn schedule.
#pragma once

#include <optional>
#include <vector>

#include "engine/studio/drawn/drawn_schedule.h"
#include "engine/studio/tasks/chunk_layout.h"

namespace rankscope {

class StepContents {
 public:
  StepContents() = default;
  /// Follows the moves as NAME.schedule runs them (engine/collectives/schedule.h). Throws UserError for chunks that the
  /// collective cannot share.
  explicit StepContents(const DrawnSchedule& drawn);

  int steps() const noexcept { return steps_; }
  /// The shares after a step; 0 is the start.
  const account::Shares& at(int step, Rank rank, int chunk) const {
    return held_[static_cast<std::size_t>((step * ranks_ + rank) * chunks_ + chunk)];
  }
  /// The shares that should be there in the end; nothing where any may be.
  const std::optional<account::Shares>& promised(Rank rank, int chunk) const {
    return promised_[static_cast<std::size_t>(rank * chunks_ + chunk)];
  }
  /// Returns whether a chunk is right in the end.
  bool is_right(Rank rank, int chunk) const {
    return !promised(rank, chunk) || *promised(rank, chunk) == at(steps_, rank, chunk);
  }

 private:
  int ranks_ = 0, chunks_ = 0, steps_ = 0;
  std::vector<account::Shares> held_;  ///< By step, rank and chunk.
  std::vector<std::optional<account::Shares>> promised_;
};

}  // namespace rankscope
