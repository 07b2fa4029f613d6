// Measures algorithms and baselines against each other in interleaved rounds of one run, so that other load on the
// machine affects all of them alike.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/profile/baseline_peer.h"
#include "engine/run/profile/profile_record.h"
#include "transports/factory.h"

namespace rankscope {

struct ProfilePlan {
  std::vector<std::string> algorithms;  ///< All of one collective; allreduce.auto counts too.
  std::string schedule;                 ///< The table that allreduce.schedule and its like run.
  std::vector<std::uint64_t> sizes;     ///< Bytes, as nccl-tests count them.
  std::vector<int> world_sizes{8};
  std::vector<std::string> transports{std::string(kDefaultTransport)};
  std::vector<std::string> baselines;
  DType dtype = DType::float32;
  ReduceOp op = ReduceOp::sum;
  std::uint64_t segment_bytes = 0;
  int radix = 0;
  TraceLevel trace = TraceLevel::light;  ///< The trace level of each iteration.
  int rounds = 5;
  int warmup = -1, iterations = -1;  ///< Over all rounds; -1: OSU's, cut to fit the budget.
  double budget_s = 0.5;             ///< Timed work of one competitor on one number of bytes.
  double timeout_s = 60;             ///< For one launch.
  /// An algorithm that takes this many times the best's time in its trials is not measured further (its record has the
  /// times of the trials); 0 to measure all.
  double give_up_beyond = 0;
  /// Each round goes through all sizes of a number of ranks, so that a disturbance of some seconds affects all sizes
  /// alike and not only those measured at that time. An interruption leaves no record of these sizes.
  bool interleave_sizes = false;

  /// Throws UserError for unknown names, several collectives, or nothing to measure.
  void validate() const;
};

/// The OSU micro-benchmarks' counts: up to 8 KiB 100 warm-ups and 1000 iterations, above that 10 and 100.
struct Repetitions {
  int warmup = 0, iterations = 0;
};
Repetitions osu_repetitions(std::uint64_t bytes) noexcept;
/// Returns one round's repetitions: the plan's (OSU's unless it says otherwise) divided by its rounds, cut so that all
/// rounds together take about budget_s if one iteration takes `once_s`. At least one of each.
Repetitions repetitions_of(const ProfilePlan& plan, std::uint64_t bytes, double once_s) noexcept;

/// Returns the elements of one rank's input for a size S, rounded up; at least one.
Count count_of(Collective collective, std::uint64_t bytes, int n, DType dtype) noexcept;
/// Returns an algorithm's collective, also for "allreduce.auto". Throws UserError for unknown algorithms.
Collective collective_of(const std::string& algorithm);

struct ProfileProgress {
  std::size_t
      done = 0,
      total = 0;  ///< Points: numbers of bytes on numbers of ranks (interleaved: in each round).
  int round = 0, rounds = 0;
  std::string what;  ///< "allreduce.ring over ipc, 8 ranks, 1048576 bytes"
};

struct Profile {
  std::vector<ProfileRecord> records;
  std::vector<std::string> notes;  ///< Missing baselines and the like.
  bool interrupted = false;
};

class Profiler {
 public:
  struct Options {
    RunnerOptions runner;  ///< Program and interrupt_fd.
    std::function<void(const ProfileProgress&)> on_progress;
    std::function<void(const ProfileRecord&)>
        on_record;  ///< Called as soon as a point is measured.
  };
  explicit Profiler(Options options);
  ~Profiler();
  /// Workers and baselines stay up until the Profiler is destroyed or needs another number of ranks.
  Profile run(const ProfilePlan& plan);

 private:
  struct Competitor;
  using Point = std::vector<Competitor>;  ///< For one number of ranks and bytes.
  Point competitors(const ProfilePlan& plan, int np, std::uint64_t bytes);
  void measure(const ProfilePlan& plan, int np, std::span<const std::uint64_t> sizes,
               Profile& profile);
  void calibrate(const ProfilePlan& plan, Point& all, std::uint64_t bytes);
  void run_round(const ProfilePlan& plan, Point& all, int round);
  bool step(Competitor& who, int round);
  void launch(const ProfilePlan& plan, Competitor& who, Repetitions repetitions, bool check);
  void launch_ours(const ProfilePlan& plan, Competitor& who, Repetitions repetitions, bool check);
  void launch_baseline(const ProfilePlan& plan, Competitor& who, Repetitions repetitions);
  void use_ranks(int np);
  bool interrupted() const;

  Options options_;
  ProfileProgress progress_;
  bool interrupted_ = false;
  int np_ = 0;
  std::map<std::string, std::unique_ptr<ProcessRunner>> runners_;  ///< By transport.
  std::map<std::string, std::unique_ptr<BaselinePeer>> peers_;     ///< Null if it failed.
};

}  // namespace rankscope
