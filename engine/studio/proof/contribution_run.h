// Follows contributions through the tasks of a schedule, and how each came to where it is.
#pragma once

#include <vector>

#include "engine/studio/tasks/chunk_layout.h"
#include "engine/studio/tasks/task_order.h"

namespace rankscope {

/// Each value that a task made, with the values that it was made of.
class ContributionRun {
 public:
  static constexpr int kNone = -1;
  struct Value {
    account::Shares shares;
    int kept = kNone;     ///< The value that was there.
    int brought = kNone;  ///< The value that came in or was read.
    int task = kNone;     ///< Number of the task that made it; kNone for an input.
  };
  /// A task that read memory which nobody has written.
  struct Unwritten {
    int task, cell;
  };
  /// Two tasks of a rank that use a cell in no certain order.
  struct Race {
    int first, second, cell;
  };

  /// Throws UserError for more than kMostContributions.
  ContributionRun(const TaskGraph& graph, const ChunkLayout& layout, const TaskMatches& matches,
                  const TaskOrder& order);

  /// kNone: never written.
  int value_in(Rank rank, int cell) const noexcept {
    return memory_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(cell)].value;
  }
  const Value& value(int number) const noexcept {
    return values_[static_cast<std::size_t>(number)];
  }
  /// Sums in which a contribution is more than once, though it was once in each part.
  const std::vector<int>& doubled() const noexcept { return doubled_; }
  /// Values that another one took the place of.
  const std::vector<std::pair<int, int>>& replaced(Rank rank, int cell) const noexcept {
    return memory_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(cell)].replaced;
  }
  const std::vector<Unwritten>& unwritten() const noexcept { return unwritten_; }
  const std::vector<Race>& races() const noexcept { return races_; }
  const std::vector<Value>& values() const noexcept { return values_; }

  /// The tasks that received the share on its shortest way into a value.
  std::vector<int> way(int value, const account::Share& share) const;
  bool holds(int value, const account::Share& share) const noexcept {
    return value != kNone && this->value(value).shares.times(share.rank, share.element) > 0;
  }

 private:
  struct Cell {
    int value = kNone, writer = kNone;
    std::vector<int> readers;                   // since it was written
    std::vector<std::pair<int, int>> replaced;  // the value, and the one that came instead
  };

  void end(const TaskGraph& graph, const ChunkLayout& layout, const TaskMatches& matches,
           const TaskOrder& order, int task);
  Cell& cell(Rank rank, int number) {
    return memory_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(number)];
  }
  int read(const TaskOrder& order, Rank rank, int cell, int task);
  void write(const TaskOrder& order, Rank rank, int cell, int task, int value);
  int sum(int kept, int brought, int task);
  void use(const TaskOrder& order, int other, int task, int cell);

  std::vector<Value> values_;
  std::int64_t size_ = 0;
  std::vector<std::vector<Cell>> memory_;
  std::vector<std::vector<int>> sent_;  // by task: values of its message
  std::vector<int> doubled_;
  std::vector<Unwritten> unwritten_;
  std::vector<Race> races_;
};

}  // namespace rankscope
