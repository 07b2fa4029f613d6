// A schedule that a person draws move by move: each change can be taken back and made again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/studio/formats/schedule_file.h"
#include "engine/studio/tasks/chunk_layout.h"

namespace rankscope {

/// A schedule as it is drawn: every move carries one chunk, ordered by step, sender, receiver and chunk.
struct DrawnSchedule {
  Collective collective = Collective::allreduce;
  int ranks = 4;
  int chunks = 4;
  Rank root = 0;
  std::vector<ScheduleMove> moves = {};

  /// The last step with a move.
  int steps() const noexcept { return moves.empty() ? 0 : moves.back().step; }
  Schedule table() const { return {chunks, moves}; }
  ScheduleUse use(std::string name = "drawn") const {
    return {std::move(name), collective, ranks, root};
  }
  bool operator==(const DrawnSchedule&) const = default;
};

/// The largest schedule that can be drawn.
inline constexpr int kMostDrawnRanks = 32, kMostDrawnChunks = 32, kMostDrawnSteps = 100;
inline constexpr std::size_t kMostDrawnMoves = 4000;

/// Collectives that tables of moves run (allreduce.schedule and others).
std::vector<Collective> drawn_collectives();
/// Finds one of them by name. Throws UserError.
Collective drawn_collective_named(const std::string& name);

/// Throws UserError for what cannot be drawn: another collective, sizes beyond the limits, moves of ranks and chunks that
/// are not there.
void check_drawn(const DrawnSchedule& drawn);
/// Reads a file, whose whole-vector moves become one for each chunk. Throws UserError as read_schedule(), table_of() and check_drawn().
DrawnSchedule drawn_from(const ScheduleFile& file);
/// The facts in a table's first line, as written_table() writes it: "# allreduce on 4 ranks, root 2".
ScheduleAsked asked_in(std::string_view table);
/// The text of a table with such a line.
std::string written_table(const DrawnSchedule& drawn);

/// A drawn schedule with its history.
class ScheduleEditor {
 public:
  explicit ScheduleEditor(DrawnSchedule drawn = {}) : drawn_(std::move(drawn)) {}

  const DrawnSchedule& drawn() const noexcept { return drawn_; }

  // Each throws UserError for what is impossible, and then changes nothing.
  /// Returns the move's number.
  int add(const ScheduleMove& move);
  void remove(int move);
  /// Returns the move's new number.
  int change(int move, const ScheduleMove& to);
  /// Drops moves of ranks and chunks that are no longer there.
  void resize(int ranks, int chunks);
  void set_collective(Collective collective, Rank root);
  void clear();

  /// Returns the number of this move; nothing if there is none.
  std::optional<int> find(int step, Rank from, Rank to, int chunk) const;

  /// Return false if there is nothing to undo or redo.
  bool undo();
  bool redo();
  std::size_t undoable() const noexcept { return before_.size(); }
  std::size_t redoable() const noexcept { return after_.size(); }
  /// Returns whether the schedule was changed since it was opened or saved.
  bool changed() const noexcept { return saved_ ? !(*saved_ == drawn_) : true; }
  void saved() { saved_ = drawn_; }

 private:
  void take(DrawnSchedule next);
  int number_of(const ScheduleMove& move) const;

  DrawnSchedule drawn_;
  std::vector<DrawnSchedule> before_, after_;
  std::optional<DrawnSchedule> saved_ = drawn_;
};

/// The contributions that each rank holds in each chunk after every step.
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
