// `rankscope run`: a collective in real processes, checked and recorded.
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/job_options.h"
#include "cli/run/recorded_run.h"
#include "cli/run/run_report.h"
#include "cli/run/step_prompt.h"
#include "cli/terminal/console.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/run/job/job.h"
#include "engine/run/job/transports.h"
#include "engine/run/make_runner.h"
#include "engine/run/step/breakpoint_check.h"
#include "engine/run/step/step_controller.h"

namespace rankscope::cli {
namespace {

using std::chrono::milliseconds;

/// Prints to the standard error with --json, as the standard output is for the result alone.
void say(const Console& console, const std::string& text) {
  if (console.json()) {
    std::fputs(console.err().text(text).c_str(), stderr);
    return;
  }
  console.print(text);
  console.flush();
}

enum class ReadResult { nothing, text, end };

/// Reads what is on the standard input after at most `wait_ms`. An input that cannot be read (closed, or a folder) is
/// at its end.
ReadResult read_input(int wait_ms, std::string& text) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const auto later = [] { return errno == EINTR || errno == EAGAIN; };
  const int ready = poll(&input, 1, wait_ms);
  if (ready == 0 || (ready < 0 && later())) return ReadResult::nothing;
  if (ready < 0 || (input.revents & POLLNVAL) != 0) return ReadResult::end;
  std::array<char, 4096> chunk{};
  const auto got = read(STDIN_FILENO, chunk.data(), chunk.size());
  if (got < 0 && later() && (input.revents & POLLERR) == 0) return ReadResult::nothing;
  if (got <= 0) return ReadResult::end;
  text.append(chunk.data(), static_cast<std::size_t>(got));
  return ReadResult::text;
}

/// Lines of the standard input until the run ends, which may happen (a rank dies, Ctrl-C) while the user thinks.
class Input {
 public:
  Input(const Console& console, const StepController& controller)
      : console_(console), controller_(controller) {}

  std::optional<std::string> next_line() {
    if (console_.in_is_terminal()) {
      say(console_, "step> ");
    }
    for (;;) {
      if (const auto end = pending_.find('\n'); end != std::string::npos) {
        auto line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return line;
      }
      if (at_end_) return std::nullopt;
      at_end_ = read_input(100, pending_) == ReadResult::end;
      if (controller_.finished()) return std::nullopt;
    }
  }

 private:
  const Console& console_;
  const StepController& controller_;
  std::string pending_;
  bool at_end_ = false;
};

class ControlledRun : public StepTarget {
 public:
  ControlledRun(const Console& console, StepController& controller)
      : console_(console), controller_(controller) {}
  std::vector<std::string> where() override {
    std::vector<std::string> lines;
    for (const auto& view : controller_.ranks()) lines.push_back(describe(view));
    return lines;
  }
  std::string message(Rank sender, int strand) override {
    return controller_.release_message(sender, strand);
  }
  std::string step(Rank rank, int strand) override { return controller_.step(rank, strand); }
  std::string round() override { return controller_.round(); }
  std::string resume() override {
    // A script's next lines are commands for later; only a person at a terminal means "stop now".
    if (!console_.in_is_terminal()) return controller_.resume();
    say(console_, "running; Enter pauses\n");
    std::atomic<bool> back = false;
    const auto pauser = std::async(std::launch::async, [&] { pause_on_line(back); });
    auto answer = controller_.resume();
    back = true;
    pauser.wait();
    return answer;
  }
  std::string add_breakpoint(const Breakpoint& at) override {
    const auto problem = breakpoint_problem(at, controller_.world_size());
    if (!problem.empty()) return problem + "; no breakpoint was set";
    auto answer = controller_.add_breakpoint(at);
    if (at.line > 0) answer += "; only lines with a message verb (send, recv, ...) stop";
    return answer;
  }
  std::string clear_breakpoints() override { return controller_.clear_breakpoints(); }
  void quit() override { controller_.quit(); }
  bool finished() override { return controller_.finished(); }

 private:
  void pause_on_line(const std::atomic<bool>& back) {
    std::string line;
    auto got = ReadResult::nothing;
    while (!back && got == ReadResult::nothing) got = read_input(50, line);
    if (got == ReadResult::text) controller_.pause();
  }

  const Console& console_;
  StepController& controller_;
};

/// Calls `run`, which conducts the job with `controller`, on a thread of its own and prompts until it is over. Throws
/// what `run` throws.
void run_stepwise(const Console& console, StepController& controller,
                  const std::function<void()>& run) {
  auto job = std::async(std::launch::async, run);
  const auto over = [&] { return job.wait_for(milliseconds(0)) == std::future_status::ready; };
  // Waits until the ranks stand at their first verbs.
  while (!over() && !controller.wait_still(Deadline::in(milliseconds(50)))) {
  }
  if (!over()) {
    ControlledRun target(console, controller);
    Input input(console, controller);
    try {
      run_step_prompt(
          target, [&] { return input.next_line(); },
          [&](const std::string& line) { say(console, line + "\n"); });
    } catch (...) {  // the answers cannot be written: nobody will release the ranks
      controller.quit();
      throw;
    }
  }
  job.get();
}

struct RunOptions {
  JobOptions job;
  std::string output, join, key_file;
  bool step = false;
  OptionList app;  // tells which options were given

  bool said(const std::string& option) const { return app.count("--" + option) > 0; }
};

/// Ranks join over tcp, which must be known from the start since `.auto` chooses by the transport.
JobSpec spec_of(const RunOptions& options) {
  JobOptions job = options.job;
  if (!options.join.empty() && !options.said("transport"))
    job.texts.at("transport") = joining_transport().name;
  return job.spec();
}

std::string trace_file_of(const RunOptions& options, const JobSpec& spec) {
  if (options.said("output")) need_file_name(options.output);
  if (spec.recording.trace != TraceLevel::off)
    return options.output.empty() ? default_trace_file(spec) : options.output;
  if (!options.output.empty())
    throw UserError("-o names the file of the trace, but --trace off records none");
  return {};
}

void check_combination(const RunOptions& options, const JobSpec& spec) {
  const Transport& transport = require_transport(spec.transport.name);
  if (options.step && !transport.stepped)
    throw UserError(fmt::format("--step holds processes at their gates: choose --transport {}",
                                transport_names(" or ", &Transport::stepped)));
  if (!options.join.empty() && !transport.several_hosts)
    throw UserError(fmt::format("--join lets other processes join: choose --transport {}",
                                transport_names(" or ", &Transport::several_hosts)));
  if (!options.key_file.empty() && options.join.empty())
    throw UserError("--key-file is where --join writes the key: give --join tcp://HOST:PORT too");
}

void print_report(const Console& console, const RunReport& report) {
  if (console.json()) {
    console.print_raw(json_text(report_json(report)));
    return;
  }
  if (!console.quiet() || !report.result.ok()) console.print(report_text(report, console.out()));
  std::fflush(stdout);
  const auto failure = console.err().text(failure_text(report, console.err()));
  std::fputs(failure.c_str(), stderr);
}

RecordedRun run_job(const Console& console, const RunOptions& options, const JobSpec& spec,
                    const std::string& file, int interrupt_fd) {
  ProgressLine progress(console);
  StepController controller;
  RunnerOptions runner_options;
  runner_options.join = options.join;
  runner_options.key_file = options.key_file;
  // Ranks that people start by hand have no time limit.
  if (!options.join.empty()) runner_options.start_timeout_s = 0;
  if (!options.join.empty() && options.said("timeout"))
    runner_options.start_timeout_s = spec.recording.timeout_s;
  runner_options.interrupt_fd = interrupt_fd;
  runner_options.notice = [&](const std::string& line) { console.note(line); };
  if (options.step) runner_options.step = &controller;
  else runner_options.on_progress = [&](const RunProgress& state) { progress.show(state); };
  const auto runner = make_runner(spec.transport.name, std::move(runner_options));
  RecordedRun run;
  if (options.step)
    run_stepwise(console, controller, [&] { run = run_recorded(*runner, spec, file); });
  else run = run_recorded(*runner, spec, file);
  return run;
}

int run(const Console& console, const RunOptions& options) {
  const auto spec = spec_of(options);
  check_combination(options, spec);
  const auto file = trace_file_of(options, spec);
  std::optional<Interrupt> interrupt;
  // Threads cannot be stopped one by one, so Ctrl-C then ends the program at once.
  const Transport& transport = require_transport(spec.transport.name);
  if (transport.processes || transport.virtual_time) interrupt.emplace();
  try {
    const auto recorded = run_job(console, options, spec, file, interrupt ? interrupt->fd() : -1);
    print_report(console, {spec, recorded.result, recorded.file, recorded.file_bytes});
    return exit_code_of(recorded.result.status);
  } catch (const UserError&) {
    if (interrupt && interrupt->happened()) return kInterrupted;
    throw;
  }
}

Action define_run(OptionList app) {
  const auto options = std::make_shared<RunOptions>();
  options->app = app;
  options->job.add_algorithm(app, true);
  options->job.add_job(app);
  options->job.add(app, JobField::Section::messages);
  options->job.add(app, JobField::Section::network);
  options->job.add(app, JobField::Section::running);
  const OptionList recording = app.in_group("Recording");
  recording.add_option("-o,--output", "FILE.rankscope", options->output, "File of the trace")
      .default_str("ALGORITHM-nRANKS.rankscope here");
  options->job.add(recording, "trace");
  const OptionList control = app.in_group("Control");
  control.add_flag("--step", options->step,
                   "Hold every rank before each message and read commands from the standard input "
                   "(h lists them)");
  control.add_option("--join", "tcp://HOST:PORT", options->join,
                     "Start no processes: ranks join at this address, from other machines too (see "
                     "`rankscope worker`). The command waits without limit, or for --timeout");
  control.add_option("--key-file", "FILE", options->key_file,
                     "The file for the key that --join writes for the ranks");
  return [options](const Console& console) { return run(console, *options); };
}

}  // namespace

constinit const CommandEntry kRunCommand{
    .name = "run",
    .group = kRunning,
    .summary = "run a collective in real processes, check the result and record it",
    .details =
        "Starts one process per rank, runs the algorithm, compares every rank's result with a "
        "serial oracle, and leaves a trace that can be replayed, inspected and exported.",
    .examples =
        "rankscope run allreduce.ring -n 8  # eight processes, 16 elements each\n"
        "rankscope run allreduce.ring -n 8 --bytes 32MiB --iterations 20 --warmup 3 --trace off  # "
        "only measure\n"
        "rankscope run broadcast.binomial -n 6 --root 2 --input rank -o tree.rankscope  # another "
        "root, values that are easy to follow\n"
        "rankscope run allgather.ring --send-mode rendezvous --delay 2=500  # sends that wait for "
        "their receives, and a slow rank 2\n"
        "rankscope run alltoall.pairwise --shape 4x8 --gather-dim 1  # a distributed transpose\n"
        "rankscope run allreduce.ring --step  # step by step, at a prompt\n"
        "rankscope run allreduce.ring -n 4 --transport tcp --join tcp://0.0.0.0:5555  # ranks join "
        "from other machines",
    .define = define_run,
    .takes_plugins = true,
};

}  // namespace rankscope::cli
