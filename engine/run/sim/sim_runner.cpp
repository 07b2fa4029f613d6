// Runs a job in a SimWorld, or as a recorded schedule, and reports how it ended.
#include "engine/run/sim/sim_runner.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"
#include "engine/run/conductor/deadlock.h"
#include "engine/run/conductor/local_socket.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/execute.h"
#include "engine/run/job/sim_job.h"
#include "engine/run/step/rank_view.h"
#include "transports/sim/schedule_clock.h"
#include "transports/sim/sim_world.h"

namespace rankscope {
namespace {

/// Delays a rank before each of its messages.
class DelayGate : public Gate {
 public:
  DelayGate(double us, VirtualRank*& rank) : us_(us), rank_(rank) { set_attention(true); }
  std::chrono::nanoseconds hold(const GatePoint&) override {
    const auto delay = std::chrono::nanoseconds(std::llround(us_ * 1e3));
    rank_->compute(delay);
    return delay;
  }

 private:
  const double us_;
  VirtualRank*& rank_;
};

/// Serving a program's part needs more stack than an algorithm.
constexpr std::size_t kPartStack = std::size_t{512} << 10;

SimSetting setting_for(const JobSpec& spec, const RunnerOptions& options) {
  SimSetting out = sim_setting_of(spec);
  if (options.part) out.options.stack_bytes = kPartStack;
  return out;
}

/// One job in virtual time.
class SimJob : private SimWorld::Watch {
 public:
  SimJob(const JobSpec& spec, EventSink& sink, const RunnerOptions& options,
         const std::function<void(const SimSummary&)>& show);
  JobResult run();
  bool is_abandoned() const noexcept { return world_.abandoned() > 0; }
  SimSummary summary() const {
    return {world_.finish_s(), took_s_, processor_s_, world_.messages(), world_.events()};
  }

 private:
  std::optional<std::string> stop_reason() override;
  void on_deadlock() override;
  void on_failure(Rank rank, const std::string& what) override;
  static std::vector<std::unique_ptr<Gate>> gates_of(const JobSpec& spec,
                                                     std::vector<VirtualRank*>& ranks);
  void take_part(RankContext& context);
  void end(JobResult::Status status, const std::string& message);
  void show_progress(double elapsed_s) const;
  std::string given_up(const std::string& reason);
  std::optional<Standstill> standstill_of_rank(SimRank& rank);

  const JobSpec& spec_;
  const RunnerOptions& options_;
  const std::function<void(const SimSummary&)>& show_;
  const SimSetting setting_;
  std::vector<VirtualRank*> clocks_;  ///< Filled once there are ranks, for the gates.
  const std::vector<std::unique_ptr<Gate>> gates_;
  SimWorld world_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point shown_ = began_, progressed_ = began_;
  std::uint64_t messages_seen_ = 0;
  double took_s_ = 0, processor_s_ = 0;
  JobResult result_;
};

SimJob::SimJob(const JobSpec& spec, EventSink& sink, const RunnerOptions& options,
               const std::function<void(const SimSummary&)>& show)
    : spec_(spec),
      options_(options),
      show_(show),
      setting_(setting_for(spec, options)),
      clocks_(static_cast<std::size_t>(spec.world.size)),
      gates_(gates_of(spec, clocks_)),
      world_(spec.world.size, setting_.options, &sink, this, gates_) {
  for (Rank r = 0; r < spec.world.size; ++r) clocks_[static_cast<std::size_t>(r)] = &world_.rank(r);
  result_.algorithm = spec.call.algorithm;
  result_.status = JobResult::Status::ok;
}

// A gate refers to its rank's place in `ranks`, which is filled later.
std::vector<std::unique_ptr<Gate>> SimJob::gates_of(const JobSpec& spec,
                                                    std::vector<VirtualRank*>& ranks) {
  std::vector<std::unique_ptr<Gate>> out(ranks.size());
  for (std::size_t r = 0; r < std::min(out.size(), spec.world.delays_us.size()); ++r)
    if (spec.world.delays_us[r] > 0)
      out[r] = std::make_unique<DelayGate>(spec.world.delays_us[r], ranks[r]);
  return out;
}

JobResult SimJob::run() {
  const double processor_began_s = thread_processor_s();
  world_.run_ranks([this](RankContext& context) { take_part(context); });
  ranges::sort(result_.ranks, {}, &RankOutcome::rank);
  result_.pids.assign(static_cast<std::size_t>(spec_.world.size), 0);
  took_s_ = std::chrono::duration<double>(Clock::now() - began_).count();
  processor_s_ = thread_processor_s() - processor_began_s;
  result_.elapsed_s = took_s_;
  return std::move(result_);
}

void SimJob::end(JobResult::Status status, const std::string& message) {
  if (!result_.ok()) return;
  result_.status = status;
  result_.message = message;
}

void SimJob::take_part(RankContext& context) {
  RankOutcome outcome = options_.part ? options_.part(context, spec_, SimWorld::kEpoch)
                                      : execute(context, spec_, SimWorld::kEpoch);
  if (!outcome.error.empty() && result_.ok()) {
    end(JobResult::Status::failed, outcome.error);
    result_.failed_rank = outcome.rank;
    world_.stop(fmt::format("rank {} failed", outcome.rank));
  }
  result_.events += outcome.events;
  result_.ranks.push_back(std::move(outcome));
}

void SimJob::show_progress(double elapsed_s) const {
  RunProgress progress;
  progress.elapsed_s = elapsed_s;
  progress.world_size = spec_.world.size;
  progress.ranks_done = static_cast<int>(result_.ranks.size());
  progress.events = result_.events;
  progress.ranks.assign(static_cast<std::size_t>(spec_.world.size), "in virtual time");
  progress.pids.assign(progress.ranks.size(), 0);
  options_.on_progress(progress);
}

std::optional<std::string> SimJob::stop_reason() {
  constexpr std::chrono::milliseconds kLook{50};
  const auto now = Clock::now();
  if (now - shown_ < kLook) return std::nullopt;
  shown_ = now;
  const double elapsed_s = std::chrono::duration<double>(now - began_).count();
  if (options_.on_progress) show_progress(elapsed_s);
  if (show_)
    show_({.finish_s = world_.now().seconds(),
           .took_s = elapsed_s,
           .messages = world_.messages(),
           .events = world_.events()});
  if (wait_readable(options_.interrupt_fd, Deadline::now())) {
    end(JobResult::Status::interrupted, "interrupted");
    return given_up("the run was interrupted");
  }
  // An algorithm ends as long as messages come, however long it takes; a program's part may go on for ever.
  if (!options_.part && world_.messages() > messages_seen_) {
    messages_seen_ = world_.messages();
    progressed_ = now;
  }
  if (std::chrono::duration<double>(now - progressed_).count() <= spec_.recording.timeout_s)
    return std::nullopt;
  end(JobResult::Status::timeout,
      options_.part ? fmt::format("simulating took longer than {:g} s; say --timeout for more",
                                  spec_.recording.timeout_s)
                    : fmt::format("no message was sent for {:g} s; say --timeout for more",
                                  spec_.recording.timeout_s));
  for (Rank r = 0; r < spec_.world.size; ++r)
    result_.failures.push_back(timeout_failure(r, world_.rank(r).has_ended(), ""));
  return given_up(result_.message);
}

std::string SimJob::given_up(const std::string& reason) {
  if (options_.process_ends && !options_.part) world_.abandon(reason);
  return reason;
}

// Returns nothing if the rank has ended.
std::optional<Standstill> SimJob::standstill_of_rank(SimRank& rank) {
  if (rank.has_ended()) return std::nullopt;
  StrandPlaces places;
  Recorder& recorder = rank.context().recorder();
  for (const auto& strand : rank.strands()) {
    if (!strand->body) continue;
    StrandPlace place;
    place.state = StrandPlace::State::blocked;
    place.awaits = strand->awaits;
    const auto pending = ranges::find_if(strand->ops, [](const auto& op) { return bool(op); });
    if (pending != strand->ops.end()) {
      place.point = point_of(**pending);
      place.point.one_of = strand->ops.size() > 1;
      place.point.site = strand->site;
      place.point.call = recorder.site_of(strand->site);
    }
    if (strand->awaits != 0) {
      place.point.verb = Verb::wait;
      place.point.call = strand->awaits_at;
    }
    place.point.strand = strand->id;
    places.emplace(strand->id, std::move(place));
  }
  Standstill out;
  out.rank = rank.rank();
  out.epoch = SimWorld::kEpoch;
  out.asleep = true;
  out.views =
      step_report_of(json_of(places, {}, {}, recorder), rank.rank(), spec_.world.size).views;
  out.unreceived = rank.context().progress().look([] {}).unreceived;
  return out;
}

void SimJob::on_deadlock() {
  std::vector<std::optional<Standstill>> reports;
  for (Rank r = 0; r < spec_.world.size; ++r) reports.push_back(standstill_of_rank(world_.rank(r)));
  const Deadlock found = explain_deadlock(reports, spec_.call.platform);
  end(JobResult::Status::deadlock, found.text.message());
  result_.deadlock = found.text;
  result_.failures = found.failures;
}

void SimJob::on_failure(Rank rank, const std::string& what) {
  end(JobResult::Status::failed, what);
  if (rank >= 0)
    result_.failures.push_back({rank, "failed, as the job says", "", 0, RankLoss::unknown});
}

constexpr int kMostFibers = 65'536;

/// Refuses too many ranks, because each fiber takes a stack.
void check_fibers(const JobSpec& spec) {
  if (spec.world.size > kMostFibers)
    throw UserError(
        fmt::format("{} ranks are too many for fibers (at most {}): use `rankscope sim "
                    "--schedule-mode`",
                    spec.world.size, kMostFibers));
}

}  // namespace

double thread_processor_s() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

JobResult SimRunner::run(const JobSpec& asked, EventSink& sink) {
  validate(asked);
  check_fibers(asked);
  const JobSpec spec = resolve_auto(asked);
  DeferredErrorSink kept(sink);
  auto job = std::make_unique<SimJob>(spec, kept, options_, show_);
  JobResult result = job->run();
  summary_ = job->summary();
  // Ending the process frees tens of thousands of ranks faster than their destructors.
  if (job->is_abandoned()) static_cast<void>(job.release());
  kept.finish(result);
  judge(result, spec);
  return result;
}

namespace {

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Ten times a second, reports progress and checks for an interrupt or the time limit.
class ScheduleLooks {
 public:
  ScheduleLooks(const JobSpec& spec, const ScheduleWatch& watch, ScheduledRun& run)
      : spec_(spec), watch_(watch), run_(run) {}

  VerbSchedule::Heartbeat heartbeat(std::string_view what) {
    done_ = 0;
    return [this, what](std::uint64_t done) {
      constexpr std::chrono::milliseconds kLook{100};
      const auto now = Clock::now();
      if (now - looked_ < kLook) return true;
      looked_ = now;
      if (watch_.on_progress) watch_.on_progress(what, done);
      run_.interrupted = wait_readable(watch_.interrupt_fd, Deadline::now());
      if (done > done_) progressed_ = now;
      done_ = done;
      run_.timed_out = seconds_since(progressed_) > spec_.recording.timeout_s;
      return !run_.interrupted && !run_.timed_out;
    };
  }

 private:
  const JobSpec& spec_;
  const ScheduleWatch& watch_;
  ScheduledRun& run_;
  Clock::time_point looked_ = Clock::now(), progressed_ = looked_;
  std::uint64_t done_ = 0;
};

}  // namespace

ScheduledRun simulate_schedule(const JobSpec& asked, const ScheduleWatch& watch) {
  JobSpec spec = asked;
  spec.network.ghost = true;
  validate(spec);
  ScheduledRun run;
  ScheduleLooks looks(spec, watch, run);
  const SimSetting setting = sim_setting_of(spec);
  const Algorithm& algorithm = require_algorithm(spec.call.algorithm);
  const auto begin = Clock::now();
  const VerbSchedule schedule(
      spec.world.size,
      [&](Communicator& comm) { run_algorithm(comm, algorithm, args_of(spec, comm.rank())); },
      looks.heartbeat("recording, rank"));
  run.recording_s = seconds_since(begin);
  run.step_bytes = schedule.bytes();
  if (schedule.stopped()) return run;
  const auto carried = Clock::now();
  const double processor_began_s = thread_processor_s();
  const auto result = carry_out(schedule, setting.options, looks.heartbeat("messages"));
  run.summary = {result.finish_s, seconds_since(carried), thread_processor_s() - processor_began_s,
                 result.messages, result.events};
  return run;
}

}  // namespace rankscope
