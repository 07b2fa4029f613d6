// Options of a simulation, apart from its ranks' programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/core/message/reducing_tree.h"
#include "engine/network/network.h"

namespace rankscope {

struct SimOptions {
  NetworkModel model;
  /// Must outlive the simulation. If null, no link is shared, and each message takes model.alpha + bytes * model.beta.
  Network* network = nullptr;
  /// The reducing switches that the job uses, whose messages have the tree's tags; null if it uses none. Must outlive
  /// the simulation. `network` has the switches as ranks from `switch_ends` on (engine/network/switch_tree.h).
  const ReducingTree* switches = nullptr;
  int switch_ends = 0;
  std::uint64_t seed = 1;
  /// The largest random increase in the time of a message or computation, as a fraction: 0.1 for 10 %.
  double jitter = 0;
  /// By rank: the factor by which its processor is slower (missing: 1).
  std::vector<double> slowness;
  /// A rank that fails at a time (seconds), which ends the run.
  struct Failure {
    Rank rank;
    double at;
  };
  std::vector<Failure> failures;
  std::size_t stack_bytes = std::size_t{64} << 10;
};

/// Throws UserError for values out of range.
void check_sim_options(int ranks, const SimOptions& options);

}  // namespace rankscope
