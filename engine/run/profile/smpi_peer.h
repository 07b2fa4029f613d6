// SimGrid's SMPI beside our simulator: the same algorithms, written with MPI point to point, on the same platform.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/base/deadline.h"
#include "engine/network/topology.h"

namespace rankscope {

/// One of allreduce.ring, allreduce.bde (a power of two of ranks), broadcast.binomial and alltoall.pairwise, on vectors
/// of so many bytes of float32, so many times in a row.
struct SmpiCase {
  std::string algorithm;
  std::uint64_t bytes = 0;
  int repeats = 1;
};

struct SmpiTime {
  double finish_s = 0;  ///< When the last rank ended, in virtual time.
  double wall_s = 0;    ///< For that, on this machine.
};

/// Names what SMPI lacks on this machine, and how to get it; empty when it can run.
std::string what_smpi_lacks();

/// All settings that make SMPI's times comparable: model CM02 with factors of 1, without what TCP would add; no time for
/// MPI's own work and for computing; every message eager.
const std::vector<std::string>& smpi_settings();

/// One run of smpirun on the platform that to_simgrid() writes, with a rank on each of the first `ranks` hosts. Throws
/// UserError: it is not there, fails, or takes too long.
std::vector<SmpiTime> run_smpi(const Topology& topology, int ranks,
                               const std::vector<SmpiCase>& cases, Deadline deadline);

struct SimulatedTime : SmpiTime {
  std::uint64_t messages = 0;
};
/// The same here, as fibers without data: links alone limit (no ports), and are divided as CM02 does
/// (Sharing::by_latency).
SimulatedTime simulate_as_smpi(const Topology& topology, int ranks, const SmpiCase& one);

/// Platforms to compare on: links of each pair and a star, where ports alone are shared; a ring, a torus and two switches
/// with one link between them, where messages share links on their way.
struct SmpiPlatform {
  std::string name;
  Topology topology;
};
std::vector<SmpiPlatform> smpi_platforms(int ranks);
/// The algorithms that can be run on so many ranks.
std::vector<std::string> smpi_algorithms(int ranks);

struct SmpiDeviation {
  std::string platform;
  int ranks = 0;
  SmpiCase one;
  double smpi_s = 0, ours_s = 0;
  double part() const noexcept { return ours_s / smpi_s - 1; }
};
/// Each algorithm at each size on each platform.
std::vector<SmpiDeviation> compare_with_smpi(int ranks, const std::vector<std::uint64_t>& sizes,
                                             Deadline deadline);

}  // namespace rankscope
