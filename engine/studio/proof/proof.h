// Proves that a schedule computes its collective, by contributions and without running data, and that its ranks cannot
// block each other.
#pragma once

#include <vector>

#include "engine/account/fault.h"
#include "engine/studio/tasks/task_graph.h"

namespace rankscope {

struct ScheduleProof {
  /// False for a file that does not say where its data lies: only the order was proved.
  bool knows_data = true;
  /// A cycle, if there is one, and one other fault, if possible with a short counter-example; empty if the schedule is
  /// right.
  std::vector<account::Fault> faults;
  int wrong_places = 0;  ///< Chunks that are wrong in the end, on all ranks.
  bool right() const noexcept { return faults.empty(); }
};

/// Proves that in every order in which tasks can happen, each rank ends with what the graph's collective promises, each
/// contribution exactly once; with `rendezvous`, also when each send waits for its receive. Throws UserError for a collective
/// of which nothing can be proved, for chunks that its ranks cannot share, and for more than kMostContributions.
ScheduleProof prove(const TaskGraph& graph, bool rendezvous = true);
inline constexpr std::int64_t kMostContributions = 50'000'000;

}  // namespace rankscope
