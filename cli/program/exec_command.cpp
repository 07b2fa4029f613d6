// `rankscope exec`: runs a user's program, whose processes become ranks, and keeps a trace of each run.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/program/compiled_program.h"
#include "cli/program/exec_limit.h"
#include "cli/program/exec_options.h"
#include "cli/program/exec_traces.h"
#include "cli/program/explore_program.h"
#include "cli/program/findings_text.h"
#include "cli/program/program_command.h"
#include "cli/program/program_notes.h"
#include "cli/program/simulated_program.h"
#include "cli/program/terminal_input.h"
#include "cli/sizes.h"
#include "cli/terminal/text.h"
#include "engine/analysis/meant/hints.h"
#include "engine/analysis/trace_analysis.h"
#include "engine/core/base/error.h"
#include "engine/core/base/process_stat.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/subprocess.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/trace_file.h"
#include "engine/run/conductor/child_process.h"
#include "lessons/lesson/lesson.h"

namespace rankscope::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kLook{10};
constexpr int kMostCopies = 256;
constexpr double kNoLimit = 1e8;  ///< Seconds.
/// Time for the ranks of an ended run, which raise an error, to end by themselves.
constexpr milliseconds kAfterStop{3'000};

bool is_source(const std::string& word) {
  const std::string ending = extension(word);
  return ending == ".cpp" || ending == ".cc" || ending == ".cxx";
}

/// Returns the virtual time at which the last rank left.
double virtual_s(const JobResult& result) {
  const auto times = result.times_s();
  return times.empty() ? 0 : times.front();
}

/// Returns the variables that both copies have.
std::vector<std::string> shared(const std::vector<std::string>& first,
                                const std::vector<std::string>& second) {
  std::vector<std::string> out;
  for (const std::string& variable : first)
    if (ranges::find(second, variable) != second.end()) out.push_back(variable);
  return out;
}

double cpu_seconds(const Children& children) {
  const Fd proc = open_proc();
  double sum = 0;
  for (const pid_t process : children.family())
    if (const auto stat = process_stat(proc.get(), process)) sum += stat->cpu_seconds;
  return sum;
}

class Exec {
 public:
  Exec(const Console& console, const ExecOptions& options)
      : console_(console),
        options_(options),
        as_started_(command_of(console, options)),
        command_(as_started_.words),
        copies_(options.ranks.empty()
                    ? 0
                    : static_cast<int>(parse_integer(options.ranks, "-n", 1, kMostCopies))),
        notes_(options.meant) {}

  int run() {
    if (options_.for_parent) end_with_parent();
    mark_family();
    if (is_source(command_.front())) {
      if (copies_ == 0)
        throw UserError("say how many ranks the program has: rankscope exec -n 4 " +
                        command_.front());
      program_ = fs::path(command_.front()).filename().string();
      compiled_.emplace(command_.front(), options_.sanitize, !options_.debug.empty());
      command_.front() = compiled_->binary();
    } else if (!options_.sanitize.empty()) {
      throw UserError("--sanitize is for programs that rankscope compiles: give a .cpp file");
    }
    refuse_mpi_binary(command_.front());
    check_debug();
    options_.meant.check();
    check_transport(options_);
    check_virtual_time(options_);
    if (!options_.sim.empty()) return simulate_it();
    if (options_.orders.asked()) return explore_it();
    // A rank under gdb has no time limit.
    limit_.emplace(debugged_ < 0 ? base_spec().recording.timeout_s
                                 : std::numeric_limits<double>::max());
    host_ = std::make_unique<ProgramHost>(host_options());
    int code = kOk;
    {
      Children children;
      start(children);
      wait_for(children);
      host_->finish();
      if (limit_->text().empty()) report_children(children, host_->started(), host_->failures());
      code = exit_code(children);
    }
    if (const std::string misuse = host_->misuse(); !misuse.empty())
      throw UserError(
          fmt::format("{}: rankscope exec {}", misuse, fmt::join(options_.command, " ")));
    host_.reset();
    json said{{"runs", runs_}, {"exit_code", code}};
    if (!limit_->text().empty()) said["message"] = limit_->text();
    if (console_.json()) console_.print_raw(json_text(said));
    return code;
  }

 private:
  ProgramHostOptions host_options() {
    ProgramHostOptions out;
    out.base = base_spec();
    out.platform_chooses_mode = !options_.said("send-mode");
    if (options_.said("eager-limit")) out.mpi_eager_limit = out.base.transport.eager_limit;
    out.delays = [this](int size) { return parse_delays(options_.job.delays, size); };
    out.copies = copies_;
    if (debugged_ >= 0) out.gather_timeout_s = kNoLimit;
    out.open = [this](const ProgramRun& run) -> std::unique_ptr<EventSink> {
      if (run.spec.recording.trace == TraceLevel::off) return nullptr;
      return std::make_unique<ProgramTrace>(file_for(run), run);
    };
    out.ended = [this](const ProgramRun& run, EventSink& sink) { on_end(run, sink); };
    out.how_ended = [this](pid_t process) {
      const std::lock_guard lock(mutex_);
      const auto at = ends_.find(process);
      return at == ends_.end() ? std::string() : at->second;
    };
    out.notice = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      console_.note(line);
    };
    return out;
  }

  JobSpec base_spec() const {
    JobSpec spec = options_.job.fields();
    if (!options_.sim.empty()) {
      spec.transport.name = kSimTransport;
      spec.network.topology = options_.sim;
      spec.world.size = std::max(1, copies_);  // at first, if the program starts its ranks itself
      if (!options_.orders.seed.empty())
        spec.data.seed = static_cast<std::uint64_t>(parse_integer(
            options_.orders.seed, "--seed", 0, std::numeric_limits<std::int64_t>::max()));
    }
    check_fields(spec);
    return spec;
  }

  std::vector<std::string> environment(const std::string& host, int copy) const {
    auto out = exec_environment({host, command_, options_.output, program_, copies_}, copy);
    if (!options_.sanitize.empty())
      for (std::string& one : sanitizer_environment()) out.push_back(std::move(one));
    return out;
  }

  SecondRun second_run() const {
    return {command_, base_spec().recording.timeout_s, copies_,
            [this] { return interrupt_.happened(); }};
  }

  void check_debug() {
    if (options_.debug.empty()) return;
    if (copies_ == 0) throw UserError("--debug needs the number of ranks: rankscope exec -n 4");
    if (!options_.sim.empty() || options_.orders.asked())
      throw UserError("--debug is for real runs: leave --sim, --explore and --replay out");
    if (program_.empty() && extension(options_.command.front()) != "")
      throw UserError(
          "--debug starts gdb, which is for programs in C++: give a .cpp file or a binary. In "
          "Python, breakpoint() in rank 0 stops in pdb");
    debugged_ = static_cast<int>(parse_integer(options_.debug, "--debug", 0, copies_ - 1));
    if (!program_on_path("gdb"))
      throw UserError("gdb is not installed: sudo apt install gdb (Debian, Ubuntu)");
  }

  /// Returns the command under gdb, which must pass on SIGURG: it asks a rank for its line.
  std::vector<std::string> under_gdb() const {
    std::vector<std::string> words{"gdb",   "-q",
                                   "-iex",  "set startup-with-shell off",
                                   "-iex",  "handle SIGURG nostop noprint pass",
                                   "--args"};
    words.insert(words.end(), command_.begin(), command_.end());
    return words;
  }

  // Returns null if the copies have nothing to share or cannot share it.
  std::unique_ptr<ProgramStem> grow_stem(const std::string& host,
                                         const std::vector<std::string>& more = {}) const {
    if (copies_ < 2 || as_started_.loads.empty()) return nullptr;
    auto variables = shared(environment(host, 0), environment(host, 1));
    variables.insert(variables.end(), more.begin(), more.end());
    auto stem =
        std::make_unique<ProgramStem>(command_, std::move(variables), as_started_.loads,
                                      fs::absolute(as_started_.script).parent_path().string());
    return stem->wait_ready(interrupt_.fd()) ? std::move(stem) : nullptr;
  }

  void start(Children& children) {
    const auto stem = grow_stem(host_->variable());
    for (int copy = 0; copy < std::max(1, copies_); ++copy) {
      auto variables = environment(host_->variable(), copy);
      for (std::string& one : notes_.environment()) variables.push_back(std::move(one));
      if (copy == debugged_) {
        std::erase_if(variables, [](const auto& one) { return one.starts_with("PYTHONPATH="); });
        children.start({under_gdb(), std::move(variables), false});
        continue;
      }
      const bool first = copies_ > 0 && copy == 0 && debugged_ < 0;
      if (first) input_.emplace();
      ChildOptions options{command_, std::move(variables), copies_ > 0};
      if (first && input_->descriptor() >= 0)
        options.descriptors = {{.theirs = 0, .ours = input_->descriptor()}};
      children.start(options, stem.get());
      if (first) input_->started();
    }
    // Ctrl-C at gdb's prompt is for gdb.
    if (debugged_ >= 0) std::signal(SIGINT, SIG_IGN);  // NOLINT(cert-err33-c)
  }

  int explore_it() {
    if (copies_ == 1)
      throw UserError(fmt::format(
          "with one rank there is only one order: give the number of ranks, as in rankscope exec "
          "-n 4 --explore 100 -- {}",
          fmt::join(command_, " ")));
    ExploredProgram program;
    program.command = command_;
    program.shown = fmt::format("{}", fmt::join(options_.command, " "));
    program.environment = [this](const std::string& host, int copy) {
      return environment(host, copy);
    };
    program.stem = [this](const std::string& host) { return grow_stem(host); };
    program.base = base_spec();
    program.base.recording.trace = TraceLevel::full;
    program.base.world.size = copies_;
    if (!options_.said("timeout")) program.base.recording.timeout_s = kOrderTimeout;
    program.platform_chooses_mode = !options_.said("send-mode");
    if (options_.said("eager-limit")) program.mpi_eager_limit = program.base.transport.eager_limit;
    program.interrupt_fd = interrupt_.fd();
    program.meant = options_.meant;
    return explore_program(console_, options_.orders, std::move(program), options_.output);
  }

  int simulate_it() {
    SimulatedProgram program({host_options(), parse_compute(options_.compute), interrupt_.fd()});
    const auto variables = program.environment();
    Children children;
    const auto stem = grow_stem(variables.front(), {variables.begin() + 1, variables.end()});
    for (int copy = 0; copy < std::max(1, copies_); ++copy) {
      auto here = environment(variables.front(), copy);
      here.insert(here.end(), variables.begin() + 1, variables.end());
      for (std::string& one : notes_.environment()) here.push_back(std::move(one));
      children.start({command_, std::move(here), copies_ > 0}, stem.get());
    }
    program.serve(children);
    if (!program.end_reason().empty()) console_.note("rankscope: " + program.end_reason());
    report_children(children, program.started(), {});
    const int code = program.end_reason().empty() ? exit_code(children) : kFailed;
    if (console_.json()) console_.print_raw(json_text({{"runs", runs_}, {"exit_code", code}}));
    return code;
  }

  void wait_for(Children& children) {
    while (children.running()) {
      children.poll();
      bool broken = false;
      {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < children.size(); ++i)
          if (children.ended(i)) ends_[children.pid(i)] = children.end(i).what;
        broken =
            broken_ && copies_ > 0;  // a script that starts its ranks itself may have more to do
      }
      // One copy that ended before it became a rank leaves the others waiting for it.
      for (std::size_t i = 0; i < children.size(); ++i)
        if (copies_ > 0 && children.ended(i) && host_->started() == 0 &&
            (children.end(i).code != 0 || !host_->waiting().empty())) {
          broken = true;
          if (!left_out_) left_out_ = static_cast<int>(i);
        }
      const bool late = limit_->passed(*host_, [&] { return cpu_seconds(children); });
      if (late && !stopped_at_)
        console_.note("rankscope: " + limit_->text() +
                      ", and was ended. If it is only slow, give it more time with --timeout.");
      if (broken || late || interrupt_.happened() || !host_->misuse().empty()) stop(children);
      std::this_thread::sleep_for(kLook);
    }
  }

  // Stops the run: its ranks raise an error and exit, else get SIGTERM after kAfterStop, and SIGKILL after twice that.
  void stop(Children& children) {
    if (!stopped_at_) stopped_at_ = Clock::now();
    host_->interrupt();
    const auto since = Clock::now() - *stopped_at_;
    if (since <= kAfterStop) return;
    const int number = since > 2 * kAfterStop ? SIGKILL : SIGTERM;
    if (debugged_ < 0 || interrupt_.happened()) return children.signal(number);
    // The user may still look in gdb for why the run ended, and quits gdb.
    for (std::size_t i = 0; i < children.size(); ++i)
      if (static_cast<int>(i) != debugged_ && !children.ended(i)) ::kill(-children.pid(i), number);
  }

  std::string file_for(const ProgramRun& run) const {
    if (options_.output.empty()) return program_trace_name(run);
    std::error_code error;
    if (options_.output.ends_with('/') || fs::is_directory(options_.output, error)) {
      fs::create_directories(options_.output, error);
      return (fs::path(options_.output) / program_trace_name(run)).string();
    }
    if (run.number == 1) return options_.output;
    const fs::path file(options_.output);
    return (file.parent_path() /
            fmt::format("{}-{}{}", file.stem().string(), run.number, file.extension().string()))
        .string();
  }

  void on_end(const ProgramRun& run, EventSink& sink) {
    std::string file;
    std::optional<TraceAnalysis> analysis;
    if (auto* const recorded = dynamic_cast<ProgramTrace*>(&sink)) {
      recorded->keep(
          observe(notes_, options_.meant, run.spec.world.size, run.result.ok(), second_run()));
      recorded->close(run);
      file = recorded->file();
      if (look_at_trace(file).events <= most_events_held())
        analysis.emplace(TraceReader::open(file));
    }
    const std::lock_guard lock(mutex_);
    if (!run.result.ok()) broken_ = true;
    if (analysis && options_.meant.asked())
      if (const auto verdict = meant::judge(analysis->trace().meta()))
        misnamed_ |= verdict->misnamed;
    report(run, file, analysis ? &*analysis : nullptr);
  }

  void report(const ProgramRun& run, const std::string& file, const TraceAnalysis* analysis) {
    std::vector<Finding> found;
    if (analysis != nullptr && !options_.no_findings) found = analysis->findings();
    if (only_unsupported(found)) unsupported_ = true;
    else failed_ |= any_error(found) || !run.result.ok();
    Statistics numbers;
    if (analysis != nullptr) numbers = analysis->statistics();
    if (console_.json()) {
      json findings = json::array();
      for (const Finding& one : found) findings.push_back(finding_json(one));
      runs_.push_back(
          {{"program", run.spec.call.algorithm},
           {"test", run.test},
           {"platform", run.spec.call.platform},
           {"world_size", run.spec.world.size},
           {"status", to_string(run.result.status)},
           {"message", run.result.message},
           {"elapsed_s", run.result.elapsed_s},
           {"virtual_s", options_.sim.empty() ? json() : json(virtual_s(run.result))},
           {"messages", numbers.total.messages},
           {"bytes", numbers.total.bytes},
           {"trace", file},
           {"meant",
            analysis == nullptr ? json() : verdict_json(meant::judge(analysis->trace().meta()))},
           {"findings", findings}});
      return;
    }
    if (console_.quiet() && found.empty() && run.result.ok()) return;
    const Style& style = console_.err();
    std::string text = fmt::format(
        "{} {}: {} ranks, {}, {}, {}{}\n", style.bold("rankscope:"),
        escaped(run.test.empty() ? run.spec.call.algorithm : run.test), run.spec.world.size,
        run.result.ok() ? style.good("ended well")
                        : style.bad(std::string(to_string(run.result.status))),
        analysis == nullptr
            ? (file.empty() ? "nothing recorded" : "too many events to look for findings in")
            : counted(numbers.total.messages, "message") + ", " + format_bytes(numbers.total.bytes),
        options_.sim.empty() ? format_seconds(run.result.elapsed_s)
                             : format_seconds(virtual_s(run.result)) + " of virtual time",
        file.empty() ? "" : "; " + escaped(file));
    const bool explained = ranges::any_of(found, [](const Finding& one) {
      return info(one.kind).blocks || one.kind == Finding::Kind::lost_rank ||
             (info(one.kind).may_block && one.severity == Finding::Severity::error) ||
             one.kind == Finding::Kind::not_supported;
    });
    if (!run.result.ok() && !explained) text += "  " + escaped(run.result.message) + "\n";
    text += findings_text(found, style);
    if (analysis != nullptr && run.result.ok())
      if (const auto verdict = meant::judge(analysis->trace().meta());
          stands_beside(verdict, found))
        text += "  " + verdict_text(verdict, numbers.total.messages > 0) + "\n";
    std::fflush(stdout);
    std::fputs(style.text(text).c_str(), stderr);
  }

  /// Reports a part that rankscope lacks and that ended a process before it became a rank; returns whether there is one.
  bool report_unsupported(const std::vector<Handed::Remark>& noted) {
    const auto one = ranges::find(noted, true, &Handed::Remark::lacks);
    if (one == noted.end()) return false;
    unsupported_ = true;
    std::string text = findings_text({unsupported(*one)}, console_.err());
    text.pop_back();  // note() ends the line
    console_.note(text);
    return true;
  }

  /// Reports a copy that ended before it became a rank, with its error, if any, and every copy that failed with the same
  /// one.
  void report_left_out(const Children& children, const std::vector<ProgramFailure>& failures,
                       const std::vector<Handed::Remark>& noted) {
    const ChildEnd& end = children.end(static_cast<std::size_t>(*left_out_));
    std::vector<Rank> ranks{*left_out_};
    std::string how = end.code == 0 ? "ended" : end.what, error;
    if (const auto own = ranges::find(failures, *left_out_, &ProgramFailure::copy);
        own != failures.end()) {
      how = "failed", error = ": " + error_text(own->error), ranks.clear();
      for (const ProgramFailure& one : failures)
        if (one.error == own->error) ranks.push_back(one.copy);
      ranges::sort(ranks);
    }
    std::string text =
        std::ssize(ranks) == copies_ && copies_ > 1
            ? fmt::format("rankscope: all ranks failed alike before they joined{}", error)
            : fmt::format("rankscope: {} {} before {} joined the others{}", rank_list(ranks), how,
                          ranks.size() == 1 ? "it" : "they", error);
    if (!noted.empty() && !noted.front().advice.empty()) {
      if (!noted.front().why.empty()) text += "\n  why: " + escaped(noted.front().why);
      text += "\n  try: " + escaped(noted.front().advice);
    }
    console_.note(text);
  }

  void report_children(const Children& children, int started,
                       const std::vector<ProgramFailure>& failures) {
    const Handed taken = notes_.take(copies_);
    const auto& noted = taken.advice;
    if (!failed_ && report_unsupported(noted)) return;
    if (left_out_) return report_left_out(children, failures, noted);
    if (started > 0) {
      std::map<std::string, std::vector<Rank>> ends;
      for (std::size_t i = 0; i < children.size() && !failed_ && !unsupported_ && copies_ > 0; ++i)
        if (children.end(i).code != 0) ends[children.end(i).what].push_back(static_cast<Rank>(i));
      for (const auto& [what, ranks] : ends)
        console_.note(fmt::format("rankscope: {} {}, although the run itself succeeded",
                                  rank_list(ranks), what));
      return;
    }
    if (!failures.empty()) {
      failed_ = true;
      return console_.note("rankscope: no process became a rank, because one failed first: " +
                           error_text(failures.front().error));
    }
    for (std::size_t i = 0; i < children.size(); ++i)
      if (children.end(i).code != 0) return;  // the process has printed its own error
    finder::Report report(8);
    meant::add_remarks(taken.remarks, 0, false, report);
    const auto found = report.take();
    failed_ |= any_error(found);
    if (std::string text = findings_text(found, console_.err()); !text.empty()) {
      text.pop_back();  // note() ends the line
      console_.note(text);
    }
    console_.note(fmt::format(
        "rankscope: no process became a rank: {} did not join a group. Call init_process_group() "
        "(torch), init_collective_group() (Ray) or rankscope.join(), or import MPI from mpi4py.",
        fmt::join(command_, " ")));
  }

  int exit_code(const Children& children) const {
    if (interrupt_.happened()) return kInterrupted;
    int code = failed_ || (limit_ && !limit_->text().empty()) ? kFailed
               : unsupported_                                 ? kUnsupported
               : misnamed_                                    ? kBadInput
                                                              : kOk;
    for (std::size_t i = 0; i < children.size(); ++i)
      // A notebook with skipped commands exits with kBadInput.
      if (children.end(i).code != 0 && code == kOk)
        code = copies_ == 0 && children.end(i).code == kBadInput ? kBadInput : kFailed;
    return code;
  }

  const Console& console_;
  const ExecOptions& options_;
  const ProgramCommand as_started_;
  std::vector<std::string> command_;
  std::optional<CompiledProgram> compiled_;
  std::string program_;  ///< Name of the source file, if the program was compiled.
  const int copies_;     ///< Number of copies to start; 0 for one that starts its ranks itself.
  int debugged_ = -1;    ///< The copy that is started under gdb; -1 for none.
  Interrupt interrupt_;
  ProgramNotes notes_;
  std::mutex mutex_;  ///< Guards the state below and the terminal, which the runs' threads share.
  std::map<pid_t, std::string> ends_;  ///< How processes of the program ended.
  bool failed_ = false, broken_ = false, misnamed_ = false;
  bool unsupported_ = false;     ///< A run, or a copy, ended at a part that rankscope lacks.
  std::optional<int> left_out_;  ///< The first copy that ended before it became a rank.
  std::optional<Clock::time_point> stopped_at_;
  std::optional<ExecLimit> limit_;
  json runs_ = json::array();
  std::unique_ptr<ProgramHost> host_;
  std::optional<TerminalInput> input_;  ///< Rank 0's.
};

Action define_exec(OptionList app) {
  const auto options = std::make_shared<ExecOptions>();
  options->app = app;
  add_exec_options(app, *options);
  return [options](const Console& console) { return Exec(console, *options).run(); };
}

}  // namespace

constinit const CommandEntry kExecCommand{
    .name = "exec",
    .group = kRunning,
    .summary = "run your own program, in Python or C++, and record what its ranks do",
    .details =
        "Programs for torch.distributed, mpi4py, ray.util.collective or rankscope's own package "
        "run as they are: their calls go to real rankscope ranks, which are recorded and checked "
        "like any run. Sends behave as they do on the program's platform, so a deadlock there is a "
        "deadlock here, and it is explained. Each run is saved as a trace, together with its "
        "findings. --explore runs the program in other orders of its messages, as another machine "
        "might. --sim carries the messages out in virtual time on a topology: the ranks are still "
        "processes, and computing takes no virtual time unless --compute gives a factor. A message "
        "takes the time that the network model gives, and only these times decide the order of "
        "arrival, so a run without --compute gives the same trace each time. System clocks and "
        "sleep() do not use virtual time; MPI.Wtime() and rankscope.now() do. A run that takes "
        "longer than --timeout, or that Ctrl-C stops, reports each rank's line; a program that "
        "never starts a run is stopped as well. The exit code is 1 for errors and for a run that "
        "did not end well, and 69 for a program that calls a part of mpi4py or Ray that rankscope "
        "lacks.",
    .examples =
        "rankscope exec -n 4 -- python3 student.py  # four copies, as torchrun starts them\n"
        "rankscope exec tutorial.py  # a script that spawns its ranks itself\n"
        "rankscope exec notebook.ipynb  # a notebook, cell by cell\n"
        "rankscope exec -n 4 ring.cpp  # a program in C++, with #include <rankscope.hpp>\n"
        "rankscope exec -n 4 --debug 1 ring.cpp  # rank 1 runs under gdb, in this terminal\n"
        "rankscope exec -o traces/ -- pytest tests/test_broadcast.py  # a trace for each test\n"
        "rankscope exec -n 4 --explore 100 -- python3 student.py  # is it right in every order?\n"
        "rankscope exec -n 8 --sim ring student.py  # in virtual time, where far ranks share "
        "links\n"
        "rankscope exec -n 8 --sim my-cluster.toml --compute 0.1 student.py  # processors ten "
        "times as fast\n"
        "rankscope exec -n 4 --send-mode buffered -- ./student.py  # would buffered sends help?",
    .define = define_exec,
};

}  // namespace rankscope::cli
