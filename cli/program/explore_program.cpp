// Runs a program once in a chosen order for `exec --explore`: starts its processes and one agent
// per rank.
#include "cli/program/explore_program.h"

#include <algorithm>
#include <csignal>
#include <memory>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>

#include "cli/program/program_notes.h"
#include "engine/analysis/findings/findings.h"
#include "engine/capi/agent.h"
#include "engine/capi/agent_world.h"
#include "engine/core/base/error.h"
#include "engine/core/base/fd_pair.h"
#include "engine/core/message/rank_context.h"
#include "engine/run/conductor/child_process.h"
#include "engine/run/job/transports.h"

namespace rankscope::cli {
namespace {

using std::chrono::milliseconds;

/// For processes whose part in the run is over.
constexpr milliseconds kEndInOrder{10'000}, kEndStopped{2'000};
constexpr milliseconds kPollChildren{5};

void wait_for(Children& children, Deadline limit) {
  for (children.poll(); children.running() && !limit.passed(); children.poll())
    std::this_thread::sleep_for(kPollChildren);
}

}  // namespace

struct ProgramExplorer::OneRun : capi::AgentWorldRun {
  std::vector<capi::AgentReport> reports;
  std::string exit_words;  ///< Of the first process that did not end well.
};

ProgramExplorer::ProgramExplorer(ExploredProgram program) : program_(std::move(program)) {
  spec_ = spec_for("mpi");
  explore::InterleavingOrder usual({}, order());
  const OneRun first = run_once(spec_, usual);
  const auto joined = std::ranges::find_if(
      first.reports, [](const auto& report) { return !report.platform.empty(); });
  if (joined == first.reports.end() && first.result.status != JobResult::Status::interrupted)
    throw UserError(fmt::format(
        "no process became a rank: {} called nothing of torch.distributed, mpi4py or rankscope "
        "that "
        "joins a group{}",
        program_.shown, first.exit_words.empty() ? "" : " (it " + first.exit_words + ")"));
  if (joined != first.reports.end()) spec_ = spec_for(joined->platform);
}

JobSpec ProgramExplorer::spec_for(const std::string& platform) const {
  JobSpec spec = program_.base;
  spec.algorithm = program_.shown;
  spec.platform = platform;
  spec.transport = kThreadTransport;
  spec.check = false;
  spec.every_wait = true;
  if (!program_.platform_chooses_mode) return spec;
  spec.mode = platform == "native" ? SendMode::buffered : SendMode::rendezvous;
  spec.eager_limit = platform == "mpi" ? program_.mpi_eager_limit : 0;
  return spec;
}

explore::OrderSettings ProgramExplorer::order() const {
  explore::OrderSettings out;
  out.may_wait = spec_.mode == SendMode::buffered || spec_.eager_limit > 0;
  out.compute_limit = explore::compute_limit_for(program_.base.timeout_s);
  return out;
}

ProgramExplorer::OneRun ProgramExplorer::run_once(const JobSpec& spec, RunOrder& order) {
  OneRun out;
  const auto ranks = static_cast<std::size_t>(spec.world_size);
  out.reports.resize(ranks);
  std::vector<Fd> sockets;
  std::vector<std::unique_ptr<capi::Agent>> agents;
  Children children;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    FdPair pair = socket_pair("a rank");
    sockets.push_back(std::move(pair.ours));
    const Fd theirs = std::move(pair.theirs);
    ::fcntl(theirs.get(), F_SETFD, 0);  // this child alone inherits it
    auto environment = program_.environment("RANKSCOPE_EXEC=agent", static_cast<int>(rank));
    environment.push_back(fmt::format("RANKSCOPE_AGENT={}", theirs.get()));
    children.start({without_output(program_.command), std::move(environment), true});
    agents.push_back(std::make_unique<capi::Agent>(sockets.back().get()));
  }
  const capi::AgentTask script;
  RunnerOptions options;
  options.interrupt_fd = program_.interrupt_fd;
  options.order = &order;
  options.part = [&](RankContext& rank, const JobSpec& job, std::uint32_t epoch) {
    const auto r = static_cast<std::size_t>(rank.rank());
    auto outcome = agents[r]->serve(rank, job, epoch, script, out.reports[r]);
    sockets[r].reset();  // who asks for more learns that the run is over
    return outcome;
  };
  static_cast<capi::AgentWorldRun&>(out) = capi::run_agents(spec, std::move(options));
  wait_for(children, Deadline::in(out.result.ok() ? kEndInOrder : kEndStopped));
  for (std::size_t rank = 0; rank < ranks && out.exit_words.empty(); ++rank)
    if (children.ended(rank) && children.end(rank).code != 0)
      out.exit_words = fmt::format("rank {} {}", rank, children.end(rank).what);
  children.signal(SIGKILL);
  return out;
}

explore::Outcome ProgramExplorer::run(explore::InterleavingOrder& order) {
  using Status = JobResult::Status;
  OneRun one = run_once(spec_, order);
  explore::Outcome out;
  out.trace = one.trace;
  out.meta = std::move(one.meta);
  out.events = std::move(one.events);
  out.interrupted = one.result.status == Status::interrupted;
  if (!one.result.ok()) {
    out.words = one.result.message;
    const bool raised = one.result.status == Status::failed && one.result.failed_rank >= 0;
    out.failure = explore::failure_kind(
        to_string(one.result.status),
        raised ? one.reports.at(static_cast<std::size_t>(one.result.failed_rank)).error_class : "");
    if (one.result.status == Status::deadlock)
      for (const Finding& found : out.trace->findings())
        if (found.kind == Finding::Kind::deadlock) out.words = found.what;
  } else if (!one.exit_words.empty()) {
    out.failure = "failed";
    out.words = one.exit_words;
  }
  return out;
}

int explore_program(const Console& console, const ExploreOptions& orders, ExploredProgram program,
                    const std::string& file) {
  const int ranks = program.base.world_size;
  const std::string command = program.shown;
  ProgramExplorer explorer(std::move(program));
  Explored explored;
  explored.again = [&](const std::string& options) {
    return fmt::format("rankscope exec -n {} {} -- {}", ranks, options, command);
  };
  explored.file = file;
  explore::ExploreSettings settings;
  settings.ranks = {ranks};
  settings.order = explorer.order();
  return run_exploration(
      console, orders, explored, std::move(settings),
      [&](std::uint32_t, explore::InterleavingOrder& order) { return explorer.run(order); });
}

}  // namespace rankscope::cli
