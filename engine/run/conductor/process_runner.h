// Runs jobs on worker processes, which stay up between jobs, or on threads.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/core/base/error.h"
#include "engine/run/job/job.h"

namespace rankscope {

class LiveDelays;
class RankContext;
class RunOrder;
class StepController;
class World;

/// The sink of an unobserved run.
class NoEvents : public EventSink {
 public:
  void deliver(EventBatch&&) override {}
};

/// A run's progress, reported at least a few times a second.
struct RunProgress {
  double elapsed_s = 0;
  int ranks_done = 0;
  int world_size = 0;
  std::uint64_t events = 0;
  std::vector<std::string> ranks;  ///< Each rank's state, as text.
  std::vector<int> pids;           ///< By rank, its process; 0 if it has none of its own.
};

struct RunnerOptions {
  std::string program;          ///< Worker program; empty for this one.
  std::string join;             ///< "tcp://host:port": ranks join there; none is spawned.
  std::string key_file;         ///< The file with the key for joiners.
  double start_timeout_s = 60;  ///< Limit for all ranks to come; 0 for no limit.
  bool pin = true;              ///< Keep each rank to its share of the processors.
  int interrupt_fd = -1;        ///< Becomes readable to stop the run (Ctrl-C).
  std::function<void(const std::string&)> notice;  ///< Lines for the user.
  std::function<void(const RunProgress&)> on_progress;
  StepController* step = nullptr;  ///< Holds the ranks at the gate.
  LiveDelays* delays = nullptr;    ///< Changes the JobSpec's delays while the job runs.
  /// Runs a rank's part of a program instead of the job's algorithm (InprocRunner, SimRunner). It starts the context's
  /// job and never throws.
  std::function<RankOutcome(RankContext&, const JobSpec&, std::uint32_t epoch)> part;
  /// The ranks of an InprocRunner move one at a time, in the order that this chooses (serial_run.h).
  RunOrder* order = nullptr;
  /// This process ends after the run, so a simulation that is interrupted or takes too long need not clean up its
  /// ranks.
  bool process_ends = false;
};

class ProcessRunner : public Runner {
 public:
  explicit ProcessRunner(RunnerOptions options = {});
  ~ProcessRunner() override;
  JobResult run(const JobSpec& spec, EventSink& sink) override;
  void add_places(TraceMeta& meta) const override;
  RunnerOptions& options() noexcept { return options_; }
  /// Returns the current world's World::refused().
  std::uint64_t refused() const noexcept;

 private:
  void need_world(const JobSpec& spec);
  JobResult run_on_world(const JobSpec& spec, EventSink& sink);
  RunnerOptions options_;
  std::unique_ptr<World> world_;
  std::vector<std::int64_t> clock_offsets_;
  std::vector<std::string> hosts_;
};

/// Runs jobs on threads of this process. Uses only the options interrupt_fd, on_progress, delays, part and order.
class InprocRunner : public Runner {
 public:
  explicit InprocRunner(RunnerOptions options = {}) : options_(std::move(options)) {}
  JobResult run(const JobSpec& spec, EventSink& sink) override;

 private:
  RunnerOptions options_;
};

/// Throws UserError if the system does not allow as many open files as this many ranks need. A runner checks too; code
/// that opens its own files must check first.
void need_descriptors_for(int world_size);

/// Turns an ok result into wrong_result if a rank's result is wrong, or differs where all must agree.
void judge(JobResult& result, const JobSpec& spec);

/// Passes events on to a sink and keeps its first UserError for finish(). Thread-safe if that sink is.
class DeferredErrorSink : public EventSink {
 public:
  explicit DeferredErrorSink(EventSink& sink) : sink_(sink) {}
  void deliver(EventBatch&& batch) override {
    keep([&] { sink_.deliver(std::move(batch)); });
  }
  void flush() override {
    keep([this] { sink_.flush(); });
  }
  /// Flushes; makes a successful run a failed one if something could not be stored.
  void finish(JobResult& result) {
    flush();
    if (error_.empty() || !result.ok()) return;
    result.status = JobResult::Status::failed;
    result.message = error_;
  }

 private:
  void keep(const std::function<void()>& write) {
    try {
      write();
    } catch (const UserError& e) {
      const std::lock_guard lock(mutex_);
      if (error_.empty()) error_ = e.what();
    }
  }
  EventSink& sink_;
  std::mutex mutex_;
  std::string error_;
};

}  // namespace rankscope
