// Options of a simulation, beside what its ranks do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/core/message/reducing_tree.h"
#include "engine/network/network.h"
#include "engine/network/network_model.h"

namespace rankscope {

struct SimOptions {
  NetworkModel model;
  /// Outlives the simulation. Null: no link is shared, each message takes model.alpha + bytes * model.beta.
  Network* network = nullptr;
  /// The tree of a job that uses switches that add; messages with a tag of the tree are theirs. Outlives the simulation. `network` has
  /// its switches as ranks from `switch_ends` on (engine/network/switch_tree.h). Else null.
  const ReducingTree* switches = nullptr;
  int switch_ends = 0;
  std::uint64_t seed = 1;
  /// Each message and each computation takes up to this part longer, by chance: 0.1 for 10 %.
  double jitter = 0;
  /// By rank: how many times longer its processor takes (missing: 1).
  std::vector<double> slowness;
  /// A rank that breaks at a time (seconds), which ends the run.
  struct Failure {
    Rank rank;
    double at;
  };
  std::vector<Failure> failures;
  std::size_t stack_bytes = std::size_t{64} << 10;
};

/// Throws UserError for what is out of range.
void check_sim_options(int ranks, const SimOptions& options);

}  // namespace rankscope
