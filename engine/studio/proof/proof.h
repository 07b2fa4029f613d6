// Proves that a schedule computes its collective, by contributions and without running data, and that its ranks cannot
// block each other.
#pragma once

#include <string>
#include <vector>

#include "engine/studio/tasks/task_graph.h"

namespace rankscope {

/// A mistake in a schedule.
struct ScheduleFault {
  enum Kind : std::uint8_t {
    missing,    ///< A contribution is not where it should be in the end.
    doubled,    ///< One is in a sum more than once.
    foreign,    ///< One is where it should not be.
    unwritten,  ///< Memory is read before it is written.
    race,       ///< Two tasks of a rank use the same memory, and none waits for the other.
    length,     ///< A message is longer or shorter than its receive.
    unmatched,  ///< A send without a receive, or a receive without a send.
    cycle,      ///< Ranks wait for each other for ever.
  };
  Kind kind = missing;
  Rank rank = 0;     ///< The rank on which it shows.
  int chunk = -1;    ///< Chunk of that rank; or -1.
  int step = 0;      ///< Step in which it happens; 0 for the end, or if unknown.
  Rank source = -1;  ///< The rank whose contribution it is.
  std::string words = {};
  /// The counter-example: tasks that receive the contribution on its way, or those that wait for each other.
  std::vector<TaskId> path = {};
};
std::string_view to_string(ScheduleFault::Kind kind) noexcept;

/// The verdict on a schedule.
struct ScheduleProof {
  /// False for a file that does not say where its data lies: only the order was proved.
  bool knows_data = true;
  std::vector<ScheduleFault>
      faults;            ///< The one with the shortest counter-example; empty where it is right.
  int wrong_places = 0;  ///< Chunks that are wrong in the end, on all ranks.
  bool right() const noexcept { return faults.empty(); }
};

/// Proves that in every order in which tasks can happen, each rank ends with what the graph's collective promises, each
/// contribution exactly once; with `rendezvous`, also when each send waits for its receive. Throws UserError for a collective
/// of which nothing can be proved, for chunks that its ranks cannot share, and for more than kMostContributions.
ScheduleProof prove(const TaskGraph& graph, bool rendezvous = true);
inline constexpr std::int64_t kMostContributions = 50'000'000;

}  // namespace rankscope
