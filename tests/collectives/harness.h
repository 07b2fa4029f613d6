// Runs algorithms on threads and compares every rank's output with the oracle.
#pragma once

#include <string>
#include <vector>

#include "engine/collectives/oracle.h"
#include "tests/support/wait_limit.h"
#include "transports/inproc/inproc_world.h"

namespace rankscope::test {

/// One call of an algorithm.
struct Case {
  const Algorithm* algorithm = nullptr;
  OracleJob job;
  std::uint64_t segment_bytes = 0;
  int group_size = 0;
  int radix = 0;
  bool left_ring = false;
};
std::string describe(const Case& c, SendMode mode);

/// in and out as a runner would set them up; root, op and so on filled in.
Args make_args(const Case& c, Rank rank);

/// Runs all cases one after the other as one job (all with the same world size) and returns what
/// went wrong, described; empty when nothing did. Also wrong: outputs that must agree between
/// ranks and do not, bit by bit, and an input that was changed.
std::vector<std::string> failures(InprocWorld& world, const std::vector<Case>& cases,
                                  SendMode mode);

/// The same, each rank calling on a communicator of its own choice of ranks.
using ChooseCommunicator = std::function<Communicator(Communicator& world)>;
std::vector<std::string> failures(InprocWorld& world, const std::vector<Case>& cases, SendMode mode,
                                  const ChooseCommunicator& choose,
                                  std::chrono::milliseconds wait_limit = kWaitLimit);

/// World sizes and element counts of the plan.
inline constexpr int kWorldSizes[] = {1, 2, 3, 4, 5, 7, 8, 13, 16};
std::vector<Count> counts_for(int n);

/// Fails the test, with the cases' parameters, unless the algorithm is right for every world size,
/// count, element type, operator, root and send mode.
void check_algorithm(const Algorithm& algorithm);

}  // namespace rankscope::test
