#include "engine/run/process_runner.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "engine/core/deadline.h"
#include "engine/core/error.h"
#include "engine/run/auto_algorithm.h"
#include "engine/run/job_session.h"
#include "engine/run/step_gate.h"
#include "transports/inproc/inproc_link.h"

namespace rankscope {
namespace {

// Collectives after which every rank holds the same.
bool all_agree(Collective collective) {
  return collective == Collective::allreduce || collective == Collective::broadcast ||
         collective == Collective::allgather;
}

}  // namespace

void judge(JobResult& result, const JobSpec& spec) {
  if (!result.ok()) return;
  for (const RankOutcome& outcome : result.ranks) {
    if (outcome.ok) continue;
    result.status = JobResult::Status::wrong_result;
    result.message =
        fmt::format("rank {}: element {} is {}, it should be {}", outcome.rank,
                    outcome.mismatch.index, outcome.mismatch.got, outcome.mismatch.expected);
    return;
  }
  if (!spec.check || !all_agree(require_algorithm(spec.algorithm).collective)) return;
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
  std::string ailment;
  if (world_) ailment = world_->ailment();
  if (!ailment.empty() && options_.notice)
    options_.notice(ailment + " since the last run: starting the ranks anew");
  if (!ailment.empty() && world_) world_->hurry();
  const bool fits = world_ && ailment.empty() && world_->size() == spec.world_size &&
                    (world_->options().transport == spec.transport || !options_.join.empty());
  if (fits) return;
  world_.reset();
  WorldOptions options;
  options.world_size = spec.world_size;
  options.transport = spec.transport;
  options.program = options_.program;
  options.join = options_.join;
  options.key_file = options_.key_file;
  options.start_timeout_s = options_.start_timeout_s;
  options.pin = options_.pin;
  options.interrupt_fd = options_.interrupt_fd;
  options.notice = options_.notice;
  world_ = std::make_unique<World>(std::move(options));
}

JobResult ProcessRunner::run(const JobSpec& asked, EventSink& sink) {
  // Whoever waits at the step prompt must not do so for ever.
  struct StepEnd {
    StepController* step;
    ~StepEnd() {
      if (step != nullptr) step->end();
    }
  } const step_end{options_.step};
  asked.validate();
  const JobSpec spec = resolve_auto(asked);
  try {
    need_world(spec);
  } catch (const StartFailure& e) {
    return failed_start(e);
  }
  try {
    return run_on_world(spec, sink);
  } catch (...) {  // in the middle of a job: nobody knows what state the ranks are in
    world_->hurry();
    world_.reset();
    throw;
  }
}

JobResult ProcessRunner::failed_start(const StartFailure& failure) {
  JobResult result;
  result.status = failure.interrupted ? JobResult::Status::interrupted : JobResult::Status::failed;
  result.message = failure.what();
  if (failure.rank >= 0)
    result.failures.push_back({failure.rank, failure.what_happened, failure.where, 0});
  return result;
}

JobResult ProcessRunner::run_on_world(const JobSpec& spec, EventSink& sink) {
  const auto refused_before = world_->refused();
  JobResult result;
  bool broken = false;
  {
    JobSession session(*world_, spec, sink, options_);
    result = session.run();
    result.algorithm = spec.algorithm;
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

JobResult InprocRunner::run(const JobSpec& asked, EventSink& sink) {
  asked.validate();
  const JobSpec spec = resolve_auto(asked);
  JobResult result;
  result.algorithm = spec.algorithm;
  result.status = JobResult::Status::ok;
  const auto requested = now_ns();
  InprocHub hub(spec.world_size);
  struct Seat {
    std::unique_ptr<InprocLink> link;
    std::unique_ptr<StepGate> gate;
    std::unique_ptr<RankContext> context;
  };
  std::vector<Seat> seats;
  for (Rank r = 0; r < spec.world_size; ++r) {
    Seat seat{std::make_unique<InprocLink>(r, hub), std::make_unique<StepGate>(r, nullptr), {}};
    const auto index = static_cast<std::size_t>(r);
    if (index < spec.delays_us.size()) seat.gate->set({false, spec.delays_us[index], {}});
    seat.context = std::make_unique<RankContext>(r, spec.world_size, *seat.link, &sink, nullptr,
                                                 seat.gate.get());
    seats.push_back(std::move(seat));
  }
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (auto& seat : seats) {
    threads.emplace_back([&, rank = seat.context.get()] {
      RankOutcome outcome = execute(*rank, spec, 1);
      const std::lock_guard lock(mutex);
      if (!outcome.error.empty() && result.ok()) {
        result.status = JobResult::Status::failed;
        result.message = outcome.error;
        for (auto& other : seats)
          if (other.context.get() != rank)
            other.context->progress().stop(fmt::format("rank {} failed", outcome.rank), 1);
      }
      result.events += outcome.events;
      result.ranks.push_back(std::move(outcome));
    });
  }
  for (auto& thread : threads) thread.join();
  std::ranges::sort(result.ranks, {}, &RankOutcome::rank);
  result.pids.assign(static_cast<std::size_t>(spec.world_size), 0);
  result.elapsed_s = static_cast<double>(now_ns() - requested) * 1e-9;
  if (!result.ranks.empty() && result.ranks.front().began_ns > 0)
    result.start_s = static_cast<double>(result.ranks.front().began_ns - requested) * 1e-9;
  sink.flush();
  judge(result, spec);
  return result;
}

std::unique_ptr<Runner> make_runner(const std::string& transport, RunnerOptions options) {
  if (transport == "inproc") return std::make_unique<InprocRunner>();
  return std::make_unique<ProcessRunner>(std::move(options));
}

}  // namespace rankscope
