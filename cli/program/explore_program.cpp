// Runs a program once in a chosen order for `exec --explore`: starts its processes and one agent
// per rank.
#include "cli/program/explore_program.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

// Its output would be on the screen once for each order: it is kept in a file, to be compared.
std::vector<std::string> with_output_in(const std::string& file,
                                        const std::vector<std::string>& command) {
  std::vector<std::string> out{"/bin/sh", "-c", "out=$1; shift; exec \"$@\" >\"$out\" 2>/dev/null",
                               "sh", file};
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

/// A rank may print its lines in the order in which messages came.
std::string sorted_lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

/// The first line of a text that the other does not have.
std::string line_not_in(const std::string& text, const std::string& other) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (("\n" + other + "\n").find("\n" + line + "\n") == std::string::npos)
      return fmt::format("\"{}\"", line.substr(0, 100));
  return "nothing more";
}

void wait_for(Children& children, Deadline limit) {
  for (children.poll(); children.running() && !limit.passed(); children.poll())
    std::this_thread::sleep_for(kPollChildren);
}

}  // namespace

struct ProgramExplorer::OneRun : capi::AgentWorldRun {
  std::vector<capi::AgentReport> reports;
  std::string exit_words;            ///< Of the first process that did not end well.
  std::vector<std::string> outputs;  ///< By rank: its lines, sorted.
  nlohmann::json notes;
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
  explore::InterleavingOrder again({}, order());
  const OneRun second = run_once(spec_, again);
  usual_output_.resize(first.outputs.size());
  for (std::size_t rank = 0; rank < first.outputs.size(); ++rank)
    if (first.result.ok() && second.result.ok() && first.outputs[rank] == second.outputs[rank])
      usual_output_[rank] = first.outputs[rank];
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
  ProgramNotes notes(program_.meant);
  const ScratchFolder outputs("outputs");
  const auto output_of = [&](std::size_t rank) { return outputs.path() / fmt::to_string(rank); };
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
    for (std::string& one : notes.environment()) environment.push_back(std::move(one));
    children.start(
        {with_output_in(output_of(rank).string(), program_.command), std::move(environment), true});
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
  for (std::size_t rank = 0; rank < ranks; ++rank)
    out.outputs.push_back(sorted_lines_of(output_of(rank)));
  out.notes = notes.take(spec.world_size);
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
  } else {
    judge(one, out);
  }
  return out;
}

// By what was meant, if that is known; and by what the ranks print in the usual order.
void ProgramExplorer::judge(const OneRun& one, explore::Outcome& out) const {
  if (program_.meant.asked()) {
    const auto verdict =
        meant::judge(meant::observations_of({{"notes", one.notes}}, spec_.world_size),
                     meant::parse_meaning(program_.meant.as), program_.meant.data);
    judged_ = judged_ && verdict.state != meant::Verdict::State::unknown;
    if (verdict.state == meant::Verdict::State::wrong) {
      out.failure = "wrong result";
      out.words = verdict.findings.front().what;
      return;
    }
  }
  for (std::size_t rank = 0; rank < one.outputs.size() && rank < usual_output_.size(); ++rank) {
    const auto& usual = usual_output_[rank];
    if (!usual || *usual == one.outputs[rank]) continue;
    out.failure = "other output";
    out.words =
        fmt::format("rank {} prints {}, in the usual order {}", rank,
                    line_not_in(one.outputs[rank], *usual), line_not_in(*usual, one.outputs[rank]));
    return;
  }
}

std::string ProgramExplorer::praise() const {
  if (program_.meant.asked() && judged_) return "Right";
  const bool compared =
      std::ranges::all_of(usual_output_, [](const auto& one) { return one.has_value(); });
  return compared ? "Ends well, with the same output,"
                  : "Ends well (what it prints differs from run to run, and was not compared)";
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
  explored.praise = [&] { return explorer.praise(); };
  explore::ExploreSettings settings;
  settings.ranks = {ranks};
  settings.order = explorer.order();
  return run_exploration(
      console, orders, explored, std::move(settings),
      [&](std::uint32_t, explore::InterleavingOrder& order) { return explorer.run(order); });
}

}  // namespace rankscope::cli
