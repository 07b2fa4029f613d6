// Runs a program in chosen orders for `exec --explore`, with one agent per rank, and judges each run.
#include "cli/program/explore_program.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/program/own_ranks.h"
#include "engine/analysis/findings/findings.h"
#include "engine/capi/agent.h"
#include "engine/capi/agent_world.h"
#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/rank_context.h"
#include "engine/run/conductor/child_process.h"
#include "engine/run/job/transports.h"

namespace rankscope::cli {
namespace {

using std::chrono::milliseconds;
using Way = explore::FailureKind::Way;

/// Time for processes whose part in the run is over.
constexpr milliseconds kEndInOrder{10'000}, kEndStopped{2'000};
constexpr milliseconds kPollChildren{5};
constexpr int kAgent = 100;  ///< A copy's descriptor of the socket to its agent.

/// Lines are sorted, since a rank may print them in the order in which messages came.
std::string sorted_lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

/// Returns how a program ended, with its last error line: " (it exited with code 1: ImportError: ...)".
std::string end_words(const std::string& end, const std::string& output) {
  if (end.empty()) return {};
  std::ifstream in(output + ".errors");
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line.substr(0, 300);
  return fmt::format(" (it {}{}{})", end, last.empty() ? "" : ": ", last);
}

/// Returns the first line of a text that the other does not have.
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
  std::string exit_words;            ///< How the first process that failed ended.
  std::vector<std::string> outputs;  ///< Each process's lines, sorted.
  /// The same, with its last error line.
  std::string end_words;
  Handed notes;
  bool joined = true;           ///< False if a program that starts its ranks itself lacks some.
  bool several_groups = false;  ///< It made more than one group.
};

/// The processes of a run, with a socket to each rank.
struct ProgramExplorer::Started {
  const ScratchFolder outputs{"outputs"};
  Children children;
  std::optional<OwnRanks> own;
  std::vector<Fd> sockets;

  std::string output_of(std::size_t child) const {
    return (outputs.path() / fmt::to_string(child)).string();
  }

  // Starts a process. Its output goes to files, to be compared. `socket`: to its agent; -1 for none.
  void start(const ExploredProgram& program, std::vector<std::string> environment, int socket,
             ProgramStem* stem) {
    const std::string file = output_of(children.size());
    const auto open_new = [](const std::string& name) {
      return Fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    };
    const Fd output = open_new(file), errors = open_new(file + ".errors");
    ChildOptions options{program.command, std::move(environment), true};
    options.descriptors = {{.theirs = 1, .ours = output.get()},
                           {.theirs = 2, .ours = errors.get()}};
    if (socket >= 0) {
      options.environment.push_back(fmt::format("RANKSCOPE_AGENT={}", kAgent));
      options.descriptors.push_back({.theirs = kAgent, .ours = socket});
    }
    children.start(options, stem);
  }
};

ProgramExplorer::ProgramExplorer(ExploredProgram program)
    : program_(std::move(program)), stem_(program_.stem("RANKSCOPE_EXEC=agent")) {
  spec_ = spec_for("mpi", program_.base.world.size);
  explore::InterleavingOrder usual({}, order());
  const OneRun first = run_once(usual);
  const auto joined =
      ranges::find_if(first.reports, [](const auto& report) { return !report.platform.empty(); });
  const bool interrupted = first.result.status == JobResult::Status::interrupted;
  if (joined == first.reports.end() && first.result.status == JobResult::Status::timeout)
    throw UserError(fmt::format(
        "no process of {} became a rank within {:g} s: give it more time with --timeout",
        program_.shown, program_.base.recording.timeout_s));
  if (joined == first.reports.end() && !interrupted)
    throw UserError(fmt::format(
        "no process became a rank: {} called nothing of torch.distributed, mpi4py{} or rankscope "
        "that joins a group{}{}",
        program_.shown, starts_its_ranks() ? ", ray.util.collective" : "", first.end_words,
        starts_its_ranks() ? "; if it is one rank of several, give their number with -n" : ""));
  if (starts_its_ranks() && !interrupted && spec_.world.size < 2)
    throw UserError(
        fmt::format("{} has one rank only, which has no other order: give the number of ranks with "
                    "-n, as in -n 4",
                    program_.shown));
  if (first.several_groups)
    throw UserError(fmt::format(
        "{} makes several groups of ranks, one after the other or at once, and --explore follows "
        "programs that make one: let it make only the group that you want to look at (in a "
        "notebook: leave the other cells out)",
        program_.shown));
  if (joined != first.reports.end() && platform_of(joined->platform).compiled &&
      ranges::any_of(first.reports, &capi::AgentReport::several_threads))
    throw UserError(fmt::format(
        "{} joins with Threads::multiple, and --explore orders the calls of one thread of a rank: "
        "which of several goes on first it can neither choose nor know. Run it without --explore, "
        "or let one thread make the calls and join without Threads::multiple",
        program_.shown));
  if (joined != first.reports.end()) spec_ = spec_for(joined->platform, spec_.world.size);
  explore::InterleavingOrder again({}, order());
  const OneRun second = run_once(again);
  usual_output_.resize(first.outputs.size());
  for (std::size_t k = 0; k < first.outputs.size(); ++k)
    if (first.result.ok() && second.result.ok() && first.outputs[k] == second.outputs[k])
      usual_output_[k] = first.outputs[k];
}

JobSpec ProgramExplorer::spec_for(const std::string& platform, int ranks) const {
  JobSpec spec = program_.base;
  spec.world.size = ranks;
  spec.call.algorithm = program_.shown;
  spec.call.platform = platform;
  spec.transport.name = kThreadTransport;
  spec.data.check = false;
  spec.recording.every_wait = true;
  if (!program_.platform_chooses_mode) return spec;
  spec.transport.mode = platform_of(platform).sends;
  spec.transport.eager_limit = platform_of(platform).mpi ? program_.mpi_eager_limit : 0;
  return spec;
}

explore::OrderSettings ProgramExplorer::order() const {
  explore::OrderSettings out;
  out.may_wait = spec_.transport.mode == SendMode::buffered || spec_.transport.eager_limit > 0;
  out.compute_limit = explore::compute_limit_for(program_.base.recording.timeout_s);
  return out;
}

void ProgramExplorer::start_copies(Started& started, ProgramNotes& notes) const {
  for (int rank = 0; rank < spec_.world.size; ++rank) {
    FdPair pair = socket_pair("a rank");
    started.sockets.push_back(std::move(pair.ours));
    auto environment = program_.environment("RANKSCOPE_EXEC=agent", rank);
    for (std::string& one : notes.environment()) environment.push_back(std::move(one));
    started.start(program_, std::move(environment), pair.theirs.get(), stem_.get());
  }
}

// Starts a program that starts its ranks itself, and waits for them: only they know their number and library.
void ProgramExplorer::start_itself(Started& started, ProgramNotes& notes, OneRun& out) {
  started.own.emplace();
  auto environment = program_.environment("RANKSCOPE_EXEC=agent", 0);
  environment.push_back(started.own->variable());
  for (std::string& one : notes.environment()) environment.push_back(std::move(one));
  started.start(program_, std::move(environment), -1, nullptr);
  const auto limit = Deadline::in(std::chrono::duration_cast<milliseconds>(
      std::chrono::duration<double>(program_.base.recording.timeout_s)));
  bool interrupted = false;
  const auto group = started.own->gather([&] {
    started.children.poll();
    interrupted = wait_readable(program_.interrupt_fd, Deadline::now());
    return interrupted || limit.passed() || !started.children.running();
  });
  out.joined = group && (spec_.world.size == 0 || group->size() == spec_.world.size);
  if (out.joined) {
    if (spec_.world.size == 0) spec_ = spec_for(group->platform, group->size());
    started.sockets = OwnRanks::admit(*group);
    started.own->refuse_others();
    return;
  }
  out.result.status = interrupted ? JobResult::Status::interrupted : JobResult::Status::failed;
  out.result.message = group ? fmt::format("the program made {} ranks, and {} before",
                                           group->size(), spec_.world.size)
                       : !started.own->missing().empty() ? started.own->missing()
                                                         : "no process became a rank";
}

void ProgramExplorer::run_ranks(Started& started, RunOrder& order, OneRun& out) const {
  std::vector<std::unique_ptr<capi::Agent>> agents;
  for (const Fd& socket : started.sockets)
    agents.push_back(std::make_unique<capi::Agent>(socket.get()));
  out.reports.resize(agents.size());
  const capi::AgentTask script;
  RunnerOptions options;
  options.interrupt_fd = program_.interrupt_fd;
  options.order = &order;
  options.part = [&](RankContext& rank, const JobSpec& job, std::uint32_t epoch) {
    const auto r = static_cast<std::size_t>(rank.rank());
    auto outcome = agents[r]->serve(rank, job, epoch, script, out.reports[r]);
    started.sockets[r].reset();  // a process that asks for more learns that the run is over
    return outcome;
  };
  static_cast<capi::AgentWorldRun&>(out) = capi::run_agents(spec_, std::move(options));
}

ProgramExplorer::OneRun ProgramExplorer::run_once(RunOrder& order) {
  OneRun out;
  ProgramNotes notes(program_.meant);
  Started started;
  if (starts_its_ranks()) start_itself(started, notes, out);
  else start_copies(started, notes);
  if (out.joined) run_ranks(started, order, out);
  Children& children = started.children;
  wait_for(children, Deadline::in(out.result.ok() ? kEndInOrder : kEndStopped));
  for (std::size_t k = 0; k < children.size() && out.exit_words.empty(); ++k)
    if (children.ended(k) && children.end(k).code != 0) {
      const std::string& what = children.end(k).what;
      out.exit_words = starts_its_ranks() ? what : fmt::format("rank {} {}", k, what);
      out.end_words = end_words(what, started.output_of(k));
    }
  children.signal(SIGKILL);
  for (std::size_t k = 0; k < children.size(); ++k)
    out.outputs.push_back(sorted_lines_of(started.output_of(k)));
  out.notes = notes.take(spec_.world.size);
  out.several_groups = started.own && started.own->refused();
  return out;
}

explore::Outcome ProgramExplorer::run(explore::InterleavingOrder& order) {
  using Status = JobResult::Status;
  OneRun one = run_once(order);
  explore::Outcome out;
  out.trace = one.trace;
  out.meta = std::move(one.meta);
  out.events = std::move(one.events);
  out.interrupted = one.result.status == Status::interrupted;
  if (!one.result.ok()) {
    out.failure = {{explore::way_of(one.result.status), {}}, one.result.message};
    if (one.result.status == Status::failed && one.result.failed_rank >= 0)
      out.failure.name =
          one.reports.at(static_cast<std::size_t>(one.result.failed_rank)).error_class;
    if (one.result.status == Status::deadlock) {
      const auto findings = out.trace->findings();
      const auto why =
          ranges::find_if(findings, [](const Finding& found) { return info(found.kind).blocks; });
      if (why != findings.end()) out.failure.words = why->what;
    }
  } else if (!one.exit_words.empty()) {
    out.failure = {{Way::failed, {}}, one.exit_words};
  } else {
    judge(one, out);
  }
  return out;
}

// Judges a run by the collective that was meant, if it is known, and by what the ranks print in the usual order.
void ProgramExplorer::judge(const OneRun& one, explore::Outcome& out) const {
  if (program_.meant.asked()) {
    const auto verdict =
        meant::judge(one.notes, meant::parse_meaning(program_.meant.as), program_.meant.data);
    judged_ = judged_ && verdict.state != meant::Verdict::State::unknown;
    if (verdict.state == meant::Verdict::State::wrong) {
      out.failure = {{Way::wrong_result, {}}, verdict.findings.front().what};
      return;
    }
  }
  for (std::size_t rank = 0; rank < one.outputs.size() && rank < usual_output_.size(); ++rank) {
    const auto& usual = usual_output_[rank];
    if (!usual || *usual == one.outputs[rank]) continue;
    out.failure = {{Way::other_output, {}},
                   fmt::format("{} prints {}, in the usual order {}",
                               starts_its_ranks() ? "the program" : fmt::format("rank {}", rank),
                               line_not_in(one.outputs[rank], *usual),
                               line_not_in(*usual, one.outputs[rank]))};
    return;
  }
}

std::string ProgramExplorer::praise() const {
  if (program_.meant.asked() && judged_) return "Right";
  const bool compared =
      ranges::all_of(usual_output_, [](const auto& one) { return one.has_value(); });
  return compared ? "Ends well, with the same output,"
                  : "Ends well (what it prints differs from run to run, and was not compared)";
}

int explore_program(const Console& console, const ExploreOptions& orders, ExploredProgram program,
                    const std::string& file) {
  const std::string command = program.shown;
  const std::string copies =
      program.base.world.size > 0 ? fmt::format("-n {} ", program.base.world.size) : "";
  Explored explored;
  std::string meant;
  if (program.meant.asked()) meant = fmt::format("--as {} ", program.meant.as);
  if (!program.meant.data.empty()) meant += fmt::format("--data {} ", program.meant.data);
  explored.again = [&](const std::string& options) {
    return fmt::format("rankscope exec {}{}{} -- {}", copies, meant, options, command);
  };
  ProgramExplorer explorer(std::move(program));
  explored.file = file;
  explored.praise = [&] { return explorer.praise(); };
  explore::ExploreSettings settings;
  settings.ranks = {explorer.ranks()};
  settings.order = explorer.order();
  return run_exploration(
      console, orders, explored, std::move(settings),
      [&](std::uint32_t, explore::InterleavingOrder& order) { return explorer.run(order); });
}

}  // namespace rankscope::cli
