// The description of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/base/buffer.h"
#include "engine/core/base/types.h"

namespace rankscope {

/// A collective on a world of ranks. Counts in elements, times in seconds unless named otherwise.
struct JobSpec {
  std::string algorithm = "allreduce.ring";
  int world_size = 4;
  std::vector<Count> shape = {
      16};  ///< One rank's input (collectives/algorithm.h defines how it is counted).
  DType dtype = DType::float32;
  ReduceOp op = ReduceOp::sum;
  Rank root = 0;
  int scatter_dim = 0, gather_dim = 0;
  std::uint64_t segment_bytes = 0;
  int group_size = 0;
  int radix = 0;
  bool left_ring = false;
  std::string schedule;  ///< Text of the table that NAME.schedule runs (collectives/schedule.h).

  /// The library for which a foreign program is written ("torch", "ray", "mpi", "native"); `algorithm` is the program's
  /// display name. Its ranks run themselves; nothing is checked. Empty for our algorithms.
  std::string platform;
  std::string program;      ///< Settings of one of our programs (engine/training/job), as JSON.
  bool every_wait = false;  ///< RankSettings::every_wait.
  bool is_program() const noexcept { return !platform.empty(); }

  std::string transport{kDefaultTransport};  ///< Its name in transports/factory.h.
  SendMode mode = SendMode::buffered;
  std::uint64_t eager_limit = 0;
  // For the transport `sim`: see engine/run/sim.
  std::string
      topology;  ///< A file, or a topology that comes with rankscope; empty for a uniform network.
  std::string links;      ///< "0:1=cut,0:2=50GB/s": changes to the topology's links.
  std::string placement;  ///< "0,1,4,5,2,3,6,7": by rank, its place in the topology.
  double alpha_s = 5e-6, bandwidth = 1e10, gamma_s = 0;  ///< bandwidth: bytes per second.
  std::string ports = "full";
  bool ghost = false;  ///< Buffers have sizes but no memory; nothing is checked.
  double jitter =
      0;  ///< Largest random increase in the time of messages and computations, as a fraction.
  std::string slow_ranks;  ///< "2=10": rank 2 computes ten times as long.
  std::string failures;    ///< "rank2@5ms,link3@1ms".

  InputPattern input = InputPattern::exact;
  std::uint64_t seed = 1;
  /// For `given` input: by rank, the elements of its input; a single value fills all of it.
  std::vector<std::vector<double>> values;
  bool check = true;  ///< Compares the result with the oracle.
  TraceLevel trace = TraceLevel::full;
  /// Microseconds before each message verb, per rank (missing: 0).
  std::vector<double> delays_us;
  /// Untimed and timed repetitions, with a barrier before each. Only the last one is traced.
  int warmup = 0, iterations = 1;
  bool trace_every = false;  ///< Trace all iterations (to measure what tracing costs).
  double timeout_s = 60;     ///< For the whole job; stands still while ranks are held.

  bool is_simulated() const noexcept { return transport == kSimTransport; }
  Shape input_shape() const { return Shape(shape); }
  auto operator<=>(const JobSpec&) const = default;
};

}  // namespace rankscope
