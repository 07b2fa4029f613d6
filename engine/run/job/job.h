// What is to be run, and what came of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/collectives/oracle.h"
#include "engine/core/base/fault.h"
#include "engine/core/trace/event.h"
#include "transports/factory.h"

namespace rankscope {

/// A collective on a world of ranks. Counts in elements, times in seconds unless named otherwise.
struct JobSpec {
  std::string algorithm = "allreduce.ring";
  int world_size = 4;
  std::vector<Count> shape = {16};  ///< Of one rank's input (algorithm.h counts it per collective).
  DType dtype = DType::float32;
  ReduceOp op = ReduceOp::sum;
  Rank root = 0;
  int scatter_dim = 0, gather_dim = 0;
  std::uint64_t segment_bytes = 0;
  int group_size = 0;
  int radix = 0;
  bool left_ring = false;
  std::string schedule;  ///< Text of the table that NAME.schedule runs (collectives/schedule.h).

  /// Of a program that is no algorithm of ours (`algorithm` is its name for people): whose library it is
  /// written for ("torch", "ray", "mpi", "native"). Its ranks run themselves; nothing is checked.
  std::string platform;
  std::string program;  ///< The settings of a program of ours (engine/training/job); else empty.
  bool every_wait = false;  ///< RankSettings::every_wait.
  bool is_program() const noexcept { return !platform.empty(); }

  std::string transport{kDefaultTransport};  ///< Its name in transports/factory.h.
  SendMode mode = SendMode::buffered;
  std::uint64_t eager_limit = 0;
  // Of the transport `sim`: see engine/run/sim.
  std::string topology;  ///< A file, or one of those that come with rankscope; empty: uniform.
  std::string links;  ///< "0:1=cut,0:2=50GB/s": changed in it (engine/run/sim/changed_topology.h).
  std::string placement;  ///< "0,1,4,5,2,3,6,7": by rank, whose place in the topology it has.
  double alpha_s = 5e-6, bandwidth = 1e10, gamma_s = 0;  ///< bandwidth: bytes per second.
  std::string ports = "full";
  bool ghost = false;      ///< Buffers have sizes and no memory; nothing is checked.
  double jitter = 0;       ///< Messages and computations take up to this part longer, by chance.
  std::string slow_ranks;  ///< "2=10": rank 2 computes ten times as long.
  std::string failures;    ///< "rank2@5ms,link3@1ms".

  InputPattern input = InputPattern::exact;
  std::uint64_t seed = 1;
  /// Of input `given`: by rank, the elements of its input; a single one fills all of it.
  std::vector<std::vector<double>> values;
  bool check = true;  ///< Compare with the oracle.
  TraceLevel trace = TraceLevel::full;
  /// Microseconds before each message verb, per rank (missing: 0).
  std::vector<double> delays_us;
  /// Untimed and timed repetitions, with a barrier before each. Only the last one is traced.
  int warmup = 0, iterations = 1;
  bool trace_every = false;  ///< Trace all iterations (to measure what tracing costs).
  double timeout_s = 60;     ///< Of the whole job; stands still while ranks are held.

  /// Throws UserError for anything that cannot run: unknown algorithm (with the nearest names), world
  /// size < 1, negative or too large counts, root out of range, bit operations on floats ...
  void validate() const;
  bool is_simulated() const { return transport_can(transport, &Transport::virtual_time); }
  Shape input_shape() const { return Shape(shape); }
};
std::string to_json(const JobSpec& spec);
/// Throws UserError (unknown keys and wrong types too).
JobSpec job_from_json(std::string_view text);

/// What one rank says at the end of its part.
struct RankOutcome {
  Rank rank = -1;
  bool ok = false;
  std::string error;  ///< Why not ok. Shown by shown_error().
  RankFault fault = RankFault::none;
  /// Of an error in a message: its parts, "recv: 8 bytes do not fit" and "allreduce_ring.cpp:27".
  std::string reason, site;
  bool checked = false;
  Mismatch mismatch;
  std::uint64_t digest = 0;     ///< XXH3 of the output; equal on ranks that must agree.
  std::vector<double> times_s;  ///< One per timed iteration, this rank's.
  std::int64_t began_ns = 0;    ///< When the first iteration began, on this rank's clock.
  std::uint64_t events = 0;     ///< Recorded.
  std::uint64_t bytes_sent = 0, bytes_received = 0, frames_sent = 0, frames_received = 0;
  std::uint64_t malformed = 0, wrong_secret = 0, stale = 0;  ///< Frames dropped.
  std::uint64_t bytes_copied = 0;                            ///< By the link (LinkCounters).
};

/// Why a rank was lost: what the conductor saw of it from outside.
struct RankFailure {
  Rank rank = -1;
  std::string what;   ///< "was killed by signal 9 (Killed)", "is stopped", "does not answer"
  std::string where;  ///< From its status page: "blocked in recv from rank 2 at file:line".
  std::uint64_t lost_events = 0;
  RankLoss loss = RankLoss::unknown;
};

/// Of a run that took too long.
RankFailure not_in_time(Rank rank, bool ended, std::string where);

/// A deadlock in the parts that a person sees in different places.
struct DeadlockText {
  std::string headline;  ///< "deadlock: ranks 0 and 1 wait for each other"
  std::string what;      ///< The same, and where each of them stands.
  std::string advice;    ///< What to try.
  std::string message() const { return what + ". " + advice; }
};

struct JobResult {
  enum class Status : std::uint8_t { ok, wrong_result, failed, timeout, interrupted, deadlock };
  Status status = Status::failed;
  std::string algorithm;  ///< What ran: of "allreduce.auto", the one that was chosen.
  std::string message;    ///< One line for a person when not ok.
  Rank failed_rank = -1;  ///< Whose error `message` is; -1: no rank's.
  /// The parts of the message of a deadlock.
  std::optional<DeadlockText> deadlock;
  std::vector<RankOutcome> ranks;  ///< Those that answered.
  /// Ranks lost; of time-outs and deadlocks, where every rank stood.
  std::vector<RankFailure> failures;
  double start_s = 0;    ///< From the request to the first rank's first verb.
  double elapsed_s = 0;  ///< From the request to the last answer.
  std::uint64_t events = 0, lost_events = 0;
  std::uint64_t refused = 0;  ///< Messages of strangers that the conductor dropped meanwhile.
  std::vector<int> pids;      ///< Of the worker processes, by rank (0: not ours).
  bool ok() const noexcept { return status == Status::ok; }
  /// Per iteration, the slowest rank's time.
  std::vector<double> times_s() const;
};
std::string to_json(const JobResult& result);
std::string_view to_string(JobResult::Status status) noexcept;

/// Runs jobs. Implementations: threads (InprocRunner), processes (ProcessRunner); later simulators.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Blocks until the job has ended, one way or another; a failed job is a result, not an exception.
  /// Throws UserError for a spec that does not validate. All events have been delivered on return.
  virtual JobResult run(const JobSpec& spec, EventSink& sink) = 0;
};

}  // namespace rankscope
