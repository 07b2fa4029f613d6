// Finds a schedule for a topology, greedily on the time-expanded network.
#pragma once

#include <cstdint>

#include "engine/collectives/schedule.h"
#include "engine/core/base/collective.h"
#include "engine/studio/synthesis/link_list.h"

namespace rankscope {

struct SynthesisTask {
  Collective collective = Collective::allreduce;  ///< Or allgather, reduce_scatter.
  std::uint64_t bytes = std::uint64_t{1} << 20;   ///< Passed in by one rank.
  int chunks_per_rank = 0;                        ///< 0 takes the best of a few numbers.
  std::uint64_t seed = 1;
  int tries = 0;  ///< Random choices, of which the best is kept; 0 for as many as a second allows.
};

struct SynthesisResult {
  Schedule schedule;
  double seconds = 0;  ///< On its links, each of which carries one message at a time.
  /// A bound that no schedule can undercut on these links: the bytes that have to enter (or leave) a rank or, up to 16
  /// ranks without shared parts, any set of ranks, over the bandwidth of the links into it; without latencies.
  double bound = 0;
  int chunks_per_rank = 0;
  int steps = 0;
};

/// Finds a schedule in the manner of TACOS (Won et al., MICRO 2024): whenever a link is free, it takes a chunk that its
/// sender has and its receiver lacks, the rarest first. A reduce-scatter is the allgather of the reversed links,
/// backwards; an allreduce is both. Deterministic by seed. Throws UserError for other collectives, and what check_links()
/// throws.
SynthesisResult synthesise(const LinkList& links, const SynthesisTask& task);

/// The bound alone, for an allgather of blocks of this size.
double allgather_bound(const LinkList& links, double block_bytes);

}  // namespace rankscope
