// `rankscope run`: a collective in real processes, checked and recorded.
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/job_options.h"
#include "cli/run/recorded_run.h"
#include "cli/run/run_report.h"
#include "cli/run/step_run.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/text.h"
#include "cli/terminal/write_file.h"
#include "engine/core/base/error.h"
#include "engine/run/job/transports.h"
#include "engine/run/make_runner.h"

namespace rankscope::cli {
namespace {

struct RunOptions {
  JobOptions job;
  std::string output, join, key_file;
  bool step = false;
  OptionList app;  // to know what was said

  bool said(const std::string& option) const { return app.count("--" + option) > 0; }
};

/// Who joins does so over tcp, and `.auto` chooses by the transport: it is to be known from the start.
JobSpec spec_of(const RunOptions& options) {
  JobOptions job = options.job;
  if (!options.join.empty() && !options.said("transport"))
    job.texts.at("transport") = joining_transport().name;
  return job.spec();
}

std::string trace_file_of(const RunOptions& options, const JobSpec& spec) {
  if (options.said("output")) need_file_name(options.output);
  if (spec.trace != TraceLevel::off)
    return options.output.empty() ? default_trace_file(spec) : options.output;
  if (!options.output.empty())
    throw UserError("-o names the file of the trace, but --trace off records none");
  return {};
}

void check_combination(const RunOptions& options, const JobSpec& spec) {
  const Transport& transport = require_transport(spec.transport);
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
  // Starting the ranks by hand takes as long as it takes.
  if (!options.join.empty()) runner_options.start_timeout_s = 0;
  if (!options.join.empty() && options.said("timeout"))
    runner_options.start_timeout_s = spec.timeout_s;
  runner_options.interrupt_fd = interrupt_fd;
  runner_options.notice = [&](const std::string& line) { console.note(line); };
  if (options.step) runner_options.step = &controller;
  else runner_options.on_progress = [&](const RunProgress& state) { progress.show(state); };
  const auto runner = make_runner(spec.transport, std::move(runner_options));
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
  // Threads cannot be stopped one by one: there Ctrl-C ends the program at once.
  const Transport& transport = require_transport(spec.transport);
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
  control.add_option(
      "--join", "tcp://HOST:PORT", options->join,
      "Start no processes: ranks join at this address, from other machines too (see "
      "`rankscope worker`). They are waited for without a limit, or as long as --timeout "
      "says");
  control.add_option("--key-file", "FILE", options->key_file,
                     "Where --join writes the key that ranks need");
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
        "rankscope run allreduce.ring -n 8 --bytes 32MiB --iterations 20 --warmup 3 "
        "--trace off  # only measure\n"
        "rankscope run broadcast.binomial -n 6 --root 2 --input rank -o tree.rankscope  # "
        "another root, values that are easy to follow\n"
        "rankscope run allgather.ring --send-mode rendezvous --delay 2=500  # sends that wait "
        "for their receives, and a slow rank 2\n"
        "rankscope run alltoall.pairwise --shape 4x8 --gather-dim 1  # a distributed "
        "transpose\n"
        "rankscope run allreduce.ring --step  # step by step, at a prompt\n"
        "rankscope run allreduce.ring -n 4 --transport tcp --join tcp://0.0.0.0:5555  # ranks "
        "join from other machines",
    .define = define_run,
};

}  // namespace rankscope::cli
