// The description of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/base/buffer.h"
#include "engine/core/base/types.h"

namespace rankscope {

/// A job: a collective, or a program, on a world of ranks. Counts in elements, times in seconds unless named otherwise.
struct JobSpec {
  /// The collective or program, with its arguments.
  struct Call {
    std::string algorithm = "allreduce.ring";
    /// One rank's input (collectives/algorithm.h defines how it is counted).
    std::vector<Count> shape = {16};
    DType dtype = DType::float32;
    ReduceOp op = ReduceOp::sum;
    Rank root = 0;
    int scatter_dim = 0, gather_dim = 0;
    std::uint64_t segment_bytes = 0;
    int group_size = 0;
    int radix = 0;
    bool left_ring = false;
    std::string schedule;  ///< Text of the table that NAME.schedule runs (collectives/schedule.h).
    /// The library for which a foreign program is written ("torch", "ray", "mpi", "native"); `algorithm` is the
    /// program's display name. Its ranks run themselves; nothing is checked. Empty for our algorithms.
    std::string platform;
    std::string program;  ///< Settings of one of our programs (engine/training/job), as JSON.
    auto operator<=>(const Call&) const = default;
  };
  /// The ranks, and how slow each is.
  struct World {
    int size = 4;
    std::vector<double> delays_us;  ///< Per rank, before each message verb (missing: 0).
    auto operator<=>(const World&) const = default;
  };
  /// The way of the messages.
  struct Transport {
    std::string name{kDefaultTransport};  ///< As in transports/factory.h.
    SendMode mode = SendMode::buffered;
    std::uint64_t eager_limit = 0;
    auto operator<=>(const Transport&) const = default;
  };
  /// The network of the transport `sim`: see engine/run/sim.
  struct Network {
    /// A file, or a topology that comes with rankscope; empty for a uniform network.
    std::string topology;
    std::string links;      ///< "0:1=cut,0:2=50GB/s": changes to the topology's links.
    std::string placement;  ///< "0,1,4,5,2,3,6,7": by rank, its place in the topology.
    double alpha_s = 5e-6, bandwidth = 1e10, gamma_s = 0;  ///< Bandwidth: bytes per second.
    std::string ports = "full";
    bool ghost = false;  ///< Buffers have sizes but no memory; nothing is checked.
    /// Largest random increase in the time of messages and computations, as a fraction.
    double jitter = 0;
    std::string slow_ranks;  ///< "2=10": rank 2 computes ten times as long.
    std::string failures;    ///< "rank2@5ms,link3@1ms".
    auto operator<=>(const Network&) const = default;
  };
  struct Data {
    InputPattern input = InputPattern::exact;
    std::uint64_t seed = 1;
    /// For `given` input: by rank, the elements of its input; a single value fills all of it.
    std::vector<std::vector<double>> values;
    bool check = true;  ///< Compares the result with the oracle.
    auto operator<=>(const Data&) const = default;
  };
  /// The number of calls, the job's time limit, and the record of its run.
  struct Recording {
    TraceLevel trace = TraceLevel::full;
    bool every_wait = false;  ///< RankSettings::every_wait.
    /// Untimed and timed repetitions, with a barrier before each. Only the last one is traced.
    int warmup = 0, iterations = 1;
    bool trace_every = false;  ///< Trace all iterations (to measure what tracing costs).
    double timeout_s = 60;     ///< For the whole job; stands still while ranks are held.
    auto operator<=>(const Recording&) const = default;
  };

  Call call;
  World world;
  Transport transport;
  Network network;
  Data data;
  Recording recording;

  bool is_program() const noexcept { return !call.platform.empty(); }
  bool is_simulated() const noexcept { return transport.name == kSimTransport; }
  Shape input_shape() const { return Shape(call.shape); }
  auto operator<=>(const JobSpec&) const = default;
};

}  // namespace rankscope
