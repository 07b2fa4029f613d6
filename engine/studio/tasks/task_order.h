// The order in which tasks can happen: which send meets which receive, and the cycle of tasks that wait for each other.
#pragma once

#include <vector>

#include "engine/studio/tasks/task_graph.h"

namespace rankscope {

/// The k-th send of a sender to a receiver with a tag meets the k-th such receive, as the ranks list them.
struct TaskMatches {
  static constexpr int kNone = -1;
  std::vector<int> first;  ///< By rank: number of its first task; one more at the end.
  std::vector<int> sender_of, receiver_of;  ///< By number of a task; or kNone.
  std::vector<TaskId> unmatched;            ///< Sends and receives without the other side.

  explicit TaskMatches(const TaskGraph& graph);
  int number(TaskId id) const noexcept {
    return first[static_cast<std::size_t>(id.rank)] + id.task;
  }
  TaskId id(int number) const noexcept;
};

/// The order of tasks. A task ends in one moment, in which it reads, stores and sends; its message arrives in a moment
/// before that. With rendezvous a send ends in the moment in which its message arrives; eager sends do not wait.
class TaskOrder {
 public:
  TaskOrder(const TaskGraph& graph, const TaskMatches& matches, bool rendezvous);

  /// The tasks that can end, in an order in which they can.
  const std::vector<int>& ends() const noexcept { return ends_; }
  bool all_end() const noexcept { return ends_.size() == tasks_; }
  /// Tasks of which each waits for the next one, and the last one for the first; as few as were found. Empty when all
  /// end, and when the others wait for a message that nobody sends.
  std::vector<int> cycle() const;
  /// Returns whether `before` has ended whenever `after` ends. Both are among ends().
  bool is_before(int before, int after) const;

 private:
  int arrival(int task) const noexcept { return node_[static_cast<std::size_t>(task)]; }
  void add_edges(const TaskGraph& graph, const TaskMatches& matches, bool rendezvous);
  void add(int before, int after) { edges_.push_back({before, after}); }
  void sort();

  std::size_t tasks_ = 0;
  std::vector<int> node_;                   // by task: of its arrival; 2t+1 is that of its end
  std::vector<std::pair<int, int>> edges_;  // while it is built
  std::vector<int> begin_, before_;         // by node: those before it
  std::vector<int> place_;                  // by node: in the order; -1: never
  std::vector<int> ends_;
  mutable std::vector<int> seen_;  // by node: by which search
  mutable int searches_ = 0;
};

}  // namespace rankscope
