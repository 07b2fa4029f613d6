// The fields of a job that describe its simulated network.
#pragma once

#include <memory>

#include "engine/core/message/reducing_tree.h"
#include "engine/network/flow/make_network.h"
#include "engine/run/job/job.h"
#include "transports/sim/sim_options.h"

namespace rankscope {

/// The options for simulating the job; `options.network` is `network`, null if it is uniform.
struct SimSetting {
  SimOptions options;
  std::unique_ptr<Network> network;
  std::unique_ptr<ReducingTree> switches;  ///< Null if the job uses none.
};

/// Throws UserError for a topology that cannot be read or has too few ranks, and for numbers out of range.
SimSetting sim_setting_of(const JobSpec& spec);

/// Parses the failing links of "rank2@5ms,link3@1ms". Throws UserError.
std::vector<LinkFailure> link_failures(std::string_view text);

/// Parses "2=10,3=1.5": by rank, the factor by which it is slower. Throws UserError.
std::vector<double> parse_slow_ranks(std::string_view text, int world_size);

}  // namespace rankscope
