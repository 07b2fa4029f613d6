// Runs jobs on worker processes or, for the inproc transport, on threads, and judges their results.
#include "engine/run/conductor/process_runner.h"

#include <condition_variable>
#include <thread>

#include <fmt/format.h>

#include "engine/collectives/plugin_loader.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/status_page.h"
#include "engine/run/conductor/deadlock.h"
#include "engine/run/conductor/job_session.h"
#include "engine/run/conductor/local_socket.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/execute.h"
#include "engine/run/step/live_delays.h"
#include "engine/run/step/serial_run.h"
#include "engine/run/step/step_gate.h"
#include "transports/factory.h"
#include "transports/inproc/inproc_link.h"

namespace rankscope {

void judge(JobResult& result, const JobSpec& spec) {
  if (!result.ok()) return;
  if (spec.is_program()) return;
  for (const RankOutcome& outcome : result.ranks) {
    if (outcome.ok) continue;
    result.status = JobResult::Status::wrong_result;
    result.message =
        fmt::format("rank {}: element {} is {}, it should be {}", outcome.rank,
                    outcome.mismatch.index, outcome.mismatch.got, outcome.mismatch.expected);
    return;
  }
  if (!spec.data.check || !same_everywhere(require_algorithm(spec.call.algorithm).collective))
    return;
  for (const RankOutcome& outcome : result.ranks) {
    if (outcome.digest == result.ranks.front().digest) continue;
    result.status = JobResult::Status::wrong_result;
    result.message =
        fmt::format("ranks {} and {} hold different bits", result.ranks.front().rank, outcome.rank);
    return;
  }
}

ProcessRunner::ProcessRunner(RunnerOptions options) : options_(std::move(options)) {}
ProcessRunner::~ProcessRunner() = default;

std::uint64_t ProcessRunner::refused() const noexcept { return world_ ? world_->refused() : 0; }

void ProcessRunner::need_world(const JobSpec& spec) {
  std::string failed_rank;
  if (world_) failed_rank = world_->describe_failed_rank();
  if (!failed_rank.empty() && options_.notice)
    options_.notice(failed_rank + " since the last run: restarting the ranks");
  if (!failed_rank.empty() && world_) world_->shorten_grace();
  const auto plugins = plugin_options();
  const bool same = world_ && world_->options().transport == spec.transport.name &&
                    world_->options().plugins == plugins;
  const bool fits = world_ && failed_rank.empty() && world_->size() == spec.world.size &&
                    (same || !options_.join.empty());
  if (fits) return;
  world_.reset();
  WorldOptions options;
  options.world_size = spec.world.size;
  options.transport = spec.transport.name;
  options.program = options_.program;
  options.plugins = plugins;
  options.join = options_.join;
  options.key_file = options_.key_file;
  options.start_timeout_s = options_.start_timeout_s;
  options.pin = options_.pin;
  options.interrupt_fd = options_.interrupt_fd;
  options.notice = options_.notice;
  world_ = std::make_unique<World>(std::move(options));
}

void ProcessRunner::add_places(TraceMeta& meta) const {
  meta.hosts = hosts_;
  meta.clock_offset_ns = clock_offsets_;
}

JobResult ProcessRunner::run(const JobSpec& asked, EventSink& sink) {
  // A step prompt must not wait for ever.
  struct StepEnd {
    StepController* step;
    ~StepEnd() {
      if (step != nullptr) step->end();
    }
  } const step_end{options_.step};
  validate(asked);
  const JobSpec spec = resolve_auto(asked);
  try {
    need_world(spec);
  } catch (const StartFailure& e) {
    return e.result();
  }
  try {
    return run_on_world(spec, sink);
  } catch (...) {  // in the middle of a job: the ranks' state is unknown
    world_->shorten_grace();
    world_.reset();
    throw;
  }
}

JobResult ProcessRunner::run_on_world(const JobSpec& spec, EventSink& sink) {
  const auto refused_before = world_->refused();
  JobResult result;
  bool broken = false;
  {
    JobSession session(*world_, spec, sink, options_);
    result = session.run();
    result.algorithm = spec.call.algorithm;
    broken = session.world_broken();
  }
  if (!broken) world_->measure_clocks();
  result.refused = world_->refused() - refused_before;
  clock_offsets_.clear();
  hosts_.clear();
  for (const Member& member : world_->members()) {
    clock_offsets_.push_back(member.clock_offset_ns);
    hosts_.push_back(member.host);
  }
  if (broken) world_.reset();
  return result;
}

namespace {

/// One job on threads of this process.
class InprocJob {
 public:
  InprocJob(const JobSpec& spec, EventSink& sink, const RunnerOptions& options);
  JobResult run();

 private:
  static constexpr std::uint32_t kEpoch = 1;
  struct RankThread {
    std::unique_ptr<Link> link;
    std::unique_ptr<StepGate> gate;
    std::unique_ptr<StatusPage> page;
    std::unique_ptr<RankContext> context;
    bool ended = false;
  };
  void take_part(RankThread& rank_thread);
  bool all_ended() const { return ranges::all_of(rank_threads_, &RankThread::ended); }
  void watch(Clock::time_point began);
  void show_progress(Clock::time_point began) const;
  void time_out();
  bool deadlocked();
  void change_delays();
  void stop(const std::string& reason);

  const JobSpec& spec_;
  const RunnerOptions& options_;
  InprocHub hub_;
  std::unique_ptr<SerialRun> serial_;  ///< Null when the ranks run freely.
  std::vector<RankThread> rank_threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  JobResult result_;
};

InprocJob::InprocJob(const JobSpec& spec, EventSink& sink, const RunnerOptions& options)
    : spec_(spec), options_(options), hub_(spec.world.size) {
  result_.algorithm = spec.call.algorithm;
  result_.status = JobResult::Status::ok;
  if (options.order != nullptr)
    serial_ = std::make_unique<SerialRun>(spec.world.size, hub_, *options.order);
  for (Rank r = 0; r < spec.world.size; ++r) {
    RankThread rank_thread{serial_ ? serial_->link(r) : std::make_unique<InprocLink>(r, hub_),
                           std::make_unique<StepGate>(r, serial_ ? serial_->listener(r) : nullptr),
                           std::make_unique<StatusPage>(),
                           {}};
    const auto index = static_cast<std::size_t>(r);
    if (index < spec.world.delays_us.size())
      rank_thread.gate->set({false, spec.world.delays_us[index], {}});
    rank_thread.context =
        std::make_unique<RankContext>(r, spec.world.size, *rank_thread.link, &sink,
                                      rank_thread.page.get(), rank_thread.gate.get());
    if (serial_) serial_->take(r, *rank_thread.context, *rank_thread.gate);
    rank_threads_.push_back(std::move(rank_thread));
  }
}

JobResult InprocJob::run() {
  const auto requested = now_ns();
  std::vector<std::thread> threads;
  for (auto& rank_thread : rank_threads_)
    threads.emplace_back([this, &rank_thread] { take_part(rank_thread); });
  if (serial_) serial_->start();
  watch(Clock::now());
  for (auto& thread : threads) thread.join();
  serial_.reset();
  ranges::sort(result_.ranks, {}, &RankOutcome::rank);
  result_.pids.assign(static_cast<std::size_t>(spec_.world.size), 0);
  result_.elapsed_s = static_cast<double>(now_ns() - requested) * 1e-9;
  if (!result_.ranks.empty() && result_.ranks.front().began_ns > 0)
    result_.start_s = static_cast<double>(result_.ranks.front().began_ns - requested) * 1e-9;
  return std::move(result_);
}

void InprocJob::show_progress(Clock::time_point began) const {
  RunProgress progress;
  progress.elapsed_s = std::chrono::duration<double>(Clock::now() - began).count();
  progress.world_size = spec_.world.size;
  progress.ranks_done = static_cast<int>(ranges::count(rank_threads_, true, &RankThread::ended));
  for (const RankThread& rank_thread : rank_threads_) {
    const auto status = read_status(*rank_thread.page);
    progress.events += status.events;
    progress.ranks.push_back(status.describe());
  }
  progress.pids.assign(rank_threads_.size(), 0);
  options_.on_progress(progress);
}

// Returns once all ranks have ended, or are being stopped.
void InprocJob::watch(Clock::time_point began) {
  constexpr std::chrono::milliseconds kLook{50};
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kLook, [this] { return all_ended(); })) {
    if (options_.on_progress) show_progress(began);
    change_delays();
    if (!result_.ok()) return;  // the ranks are being stopped already
    if (wait_readable(options_.interrupt_fd, Deadline::now())) {
      result_.status = JobResult::Status::interrupted;
      result_.message = "interrupted";
      return stop("the run was interrupted");
    }
    if (std::chrono::duration<double>(Clock::now() - began).count() > spec_.recording.timeout_s)
      return time_out();
    if (deadlocked()) return;
  }
}

void InprocJob::change_delays() {
  const auto news = options_.delays == nullptr ? std::nullopt : options_.delays->take();
  if (!news) return;
  for (std::size_t rank = 0; rank < rank_threads_.size(); ++rank)
    rank_threads_[rank].gate->set({false, rank < news->size() ? (*news)[rank] : 0.0, {}});
}

// In one process, the conductor can look at all ranks directly.
bool InprocJob::deadlocked() {
  DeadlockWatch watch(spec_.world.size, spec_.call.platform);
  for (RankThread& rank_thread : rank_threads_)
    if (rank_thread.ended)
      watch.ended(rank_thread.context->rank(), rank_thread.context->progress().look([] {}).traffic);
  const auto add_report = [&](Rank rank) {
    RankThread& rank_thread = rank_threads_[static_cast<std::size_t>(rank)];
    watch.add_report(standstill_of(standstill_json(*rank_thread.context, *rank_thread.gate), rank,
                                   spec_.world.size),
                     watch.round());
  };
  for (Rank rank = 0; rank < spec_.world.size; ++rank)
    if (!rank_threads_[static_cast<std::size_t>(rank)].ended) {
      if (!rank_threads_[static_cast<std::size_t>(rank)].gate->asleep()) return false;
      add_report(rank);
    }
  for (const Rank rank : watch.take_questions()) add_report(rank);
  const auto found = watch.verdict();
  if (!found) return false;
  result_.status = JobResult::Status::deadlock;
  result_.message = found->text.message();
  result_.deadlock = found->text;
  result_.failures = found->failures;
  stop("the ranks waited for each other");
  return true;
}

void InprocJob::take_part(RankThread& rank_thread) {
  RankOutcome outcome = options_.part ? options_.part(*rank_thread.context, spec_, kEpoch)
                                      : execute(*rank_thread.context, spec_, kEpoch);
  const std::lock_guard lock(mutex_);
  if (!outcome.error.empty() && result_.ok()) {
    result_.status = JobResult::Status::failed;
    result_.message = outcome.error;
    result_.failed_rank = outcome.rank;
    stop(fmt::format("rank {} failed", outcome.rank));
  }
  result_.events += outcome.events;
  result_.ranks.push_back(std::move(outcome));
  rank_thread.ended = true;
  if (serial_) serial_->ended(rank_thread.context->rank());
  changed_.notify_all();
}

void InprocJob::time_out() {
  result_.status = JobResult::Status::timeout;
  result_.message = fmt::format("the run took longer than {:g} s", spec_.recording.timeout_s);
  for (const RankThread& rank_thread : rank_threads_)
    result_.failures.push_back(timeout_failure(rank_thread.context->rank(), rank_thread.ended,
                                               read_status(*rank_thread.page).describe()));
  stop(result_.message);
}

void InprocJob::stop(const std::string& reason) {
  if (serial_) serial_->stop();
  for (RankThread& rank_thread : rank_threads_) {
    rank_thread.context->progress().stop(reason, kEpoch);
    rank_thread.gate->stop();  // ends delays
  }
}

}  // namespace

JobResult InprocRunner::run(const JobSpec& asked, EventSink& sink) {
  validate(asked);
  const JobSpec spec = resolve_auto(asked);
  DeferredErrorSink kept(sink);
  JobResult result = InprocJob(spec, kept, options_).run();
  kept.finish(result);
  judge(result, spec);
  return result;
}

}  // namespace rankscope
