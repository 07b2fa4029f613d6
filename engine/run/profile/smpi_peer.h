// SimGrid's SMPI for comparison with our simulator: the same algorithms, written with MPI point to point, on the same
// platform.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/base/deadline.h"
#include "engine/network/topology.h"

namespace rankscope {

/// One of allreduce.ring, allreduce.bde (a power of two of ranks), broadcast.binomial and alltoall.pairwise, on float32
/// vectors of this many bytes, repeated this many times.
struct SmpiCase {
  std::string algorithm;
  std::uint64_t bytes = 0;
  int repeats = 1;
};

struct SmpiTime {
  double finish_s = 0;  ///< The virtual time until the last rank ended.
  double wall_s = 0;    ///< The time that the simulation took on this machine.
};

/// Returns what SMPI lacks on this machine, and how to get it; empty if it can run.
std::string what_smpi_lacks();

/// Returns the settings that make SMPI's times comparable: model CM02 with factors of 1, without TCP's additions; no
/// time for MPI's own work or for computing; every message eager.
const std::vector<std::string>& smpi_settings();

/// Runs smpirun once on the platform that to_simgrid() writes, with a rank on each of the first `ranks` hosts. Throws
/// UserError if it is missing, fails, or takes too long.
std::vector<SmpiTime> run_smpi(const Topology& topology, int ranks,
                               const std::vector<SmpiCase>& cases, Deadline deadline);

struct SimulatedTime : SmpiTime {
  std::uint64_t messages = 0;
};
/// Runs the same in our simulator, as fibers without data: only links limit it (no ports), and are shared as in CM02
/// (Sharing::by_latency).
SimulatedTime simulate_as_smpi(const Topology& topology, int ranks, const SmpiCase& one);

struct SmpiPlatform {
  std::string name;
  Topology topology;
};
/// Returns links between each pair and a star, where only ports are shared; a ring, a torus and two switches with one
/// link between them, where messages share links.
std::vector<SmpiPlatform> smpi_platforms(int ranks);
/// Returns the algorithms that can run on this many ranks.
std::vector<std::string> smpi_algorithms(int ranks);

struct SmpiDeviation {
  std::string platform;
  int ranks = 0;
  SmpiCase one;
  double smpi_s = 0, ours_s = 0;
  double part() const noexcept { return ours_s / smpi_s - 1; }
};
/// Compares each algorithm at each size on each platform.
std::vector<SmpiDeviation> compare_with_smpi(int ranks, const std::vector<std::uint64_t>& sizes,
                                             Deadline deadline);

}  // namespace rankscope
