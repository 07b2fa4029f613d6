// Gathers a program's ranks, serves each by an agent on a fiber, and explains ends that only a simulation has.
#include "cli/program/simulated_program.h"

#include <csignal>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/message/rank_context.h"
#include "engine/run/sim/sim_runner.h"

namespace rankscope::cli {
namespace {

/// Seconds more until the first group, for imports on a busy machine.
constexpr double kStart = 60;
constexpr double kMostCompute = 1e6;
constexpr std::chrono::milliseconds kAfterRuns{3'000}, kPollProcesses{5};

}  // namespace

double parse_compute(const std::string& text) {
  if (text.empty()) return 0;
  const auto factor = as_number<double>(text);
  if (!factor || !(*factor >= 0 && *factor <= kMostCompute))
    throw UserError(
        fmt::format("--compute: '{}' is no factor: 0 for computing that takes no time, 1 for what "
                    "it takes here, 0.1 for a tenth of that",
                    text));
  return *factor;
}

SimulatedProgram::SimulatedProgram(SimulatedOptions options) : options_(std::move(options)) {}

std::vector<std::string> SimulatedProgram::environment() const {
  std::vector<std::string> out{"RANKSCOPE_EXEC=agent", "RANKSCOPE_VIRTUAL_TIME=1",
                               ranks_->variable()};
  if (options_.compute > 0) out.emplace_back("RANKSCOPE_CPU_TIME=1");
  return out;
}

// Returns whether to stop waiting for a complete group.
bool SimulatedProgram::give_up(Children& children) {
  children.poll();
  if (!children.running() || wait_readable(options_.interrupt_fd, Deadline::now())) return true;
  if (failed_ && options_.host.copies > 0)
    return true;  // a script that starts its ranks itself may have more to do
  // A copy that failed before it became a rank leaves the others waiting for it.
  for (std::size_t i = 0; i < children.size(); ++i)
    if (options_.host.copies > 0 && started_ == 0 && children.ended(i) && children.end(i).code != 0)
      return true;
  const double waited = std::chrono::duration<double>(Clock::now() - last_run_).count();
  if (waited < options_.host.base.recording.timeout_s + (started_ == 0 ? kStart : 0)) return false;
  end_reason_ =
      fmt::format("the program made no{} run within {:g} s", started_ == 0 ? "" : " further",
                  options_.host.base.recording.timeout_s);
  return true;
}

void SimulatedProgram::serve(Children& children) {
  while (const auto group = ranks_->gather([&] { return give_up(children); })) {
    simulate(*group, children);
    last_run_ = Clock::now();
  }
  if (end_reason_.empty()) end_reason_ = ranks_->missing();
  ranks_.reset();  // a process that waits to join gets an error
  wait_for_end(children);
}

// Waits until the processes raise an error and end, or ends them.
void SimulatedProgram::wait_for_end(Children& children) {
  const auto since = Clock::now();
  for (children.poll(); children.running(); children.poll()) {
    const auto waited = Clock::now() - since;
    if (waited > 2 * kAfterRuns) children.signal(SIGKILL);
    else if (waited > kAfterRuns) children.signal(SIGTERM);
    std::this_thread::sleep_for(kPollProcesses);
  }
}

void SimulatedProgram::simulate(const OwnRanks::Group& group, Children& children) {
  ProgramRun run;
  run.number = ++started_;
  run.key = group.key;
  run.test = group.test;
  run.spec = program_spec(options_.host, group.platform, group.program, group.size());
  validate(run.spec);  // whether the topology has enough ranks
  if (group.platform == "ray" && started_ == 1 && options_.host.notice)
    options_.host.notice(
        "simulated: which of its actors Ray calls first is decided by real time, so the times of "
        "two runs may differ");
  const std::unique_ptr<EventSink> sink = options_.host.open(run);
  std::vector<Fd> sockets = OwnRanks::admit(group);
  std::vector<std::unique_ptr<capi::Agent>> agents;
  for (const Fd& socket : sockets) agents.push_back(std::make_unique<capi::Agent>(socket.get()));
  std::vector<capi::AgentReport> reports(agents.size());
  capi::AgentTask script;
  script.compute = options_.compute;
  script.most_verbs = std::numeric_limits<std::uint64_t>::max();
  bool asked_to_end = false;
  RunnerOptions runner;
  runner.interrupt_fd = options_.interrupt_fd;
  runner.part = [&](RankContext& rank, const JobSpec& job, std::uint32_t epoch) {
    const auto r = static_cast<std::size_t>(rank.rank());
    auto outcome = agents[r]->serve(rank, job, epoch, script, reports[r]);
    sockets[r].reset();  // a process that asks for more learns that the run is over
    // One process that does not answer has cost two seconds; each other one would cost as much.
    if (reports[r].gone && rank.progress().stopped())
      children.signal(std::exchange(asked_to_end, true) ? SIGKILL : SIGTERM);
    return outcome;
  };
  NoEvents nowhere;
  run.result = SimRunner(std::move(runner)).run(run.spec, sink ? *sink : nowhere);
  run.result.algorithm = run.spec.call.algorithm;
  explain(run, reports);
  failed_ |= !run.result.ok();
  options_.host.ended(run, sink ? *sink : nowhere);
}

void SimulatedProgram::explain(ProgramRun& run,
                               const std::vector<capi::AgentReport>& reports) const {
  using Status = JobResult::Status;
  const auto awaited = ranges::find(reports, true, &capi::AgentReport::awaited);
  if (run.result.status == Status::timeout && awaited != reports.end())
    run.result.message = fmt::format(
        "the run took longer than {:g} s, and rank {} came with no verb meanwhile: it computes, or "
        "waits for something other than a message (another process, a file). Say --timeout for "
        "more",
        run.spec.recording.timeout_s, awaited - reports.begin());
  if (run.result.status == Status::deadlock &&
      ranges::any_of(reports, &capi::AgentReport::several_threads))
    run.result.message +=
        ". (In virtual time a rank does one verb after the other, also when its threads call them: "
        "a thread that waits keeps the others from sending)";
}

}  // namespace rankscope::cli
