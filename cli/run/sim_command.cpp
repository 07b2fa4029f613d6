// `rankscope sim`: a collective in virtual time, and its closed form beside it where there is one.
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/job_options.h"
#include "cli/run/recorded_run.h"
#include "cli/run/run_report.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/model/costs/cost_table.h"
#include "engine/run/job/sim_job.h"
#include "engine/run/sim/sim_runner.h"

namespace rankscope::cli {
namespace {

struct SimCommand {
  JobOptions job;
  std::string output;
  bool data = false, schedule_mode = false;
};

JobSpec simulated_spec(const SimCommand& options) {
  JobOptions job = options.job;
  job.texts.at("transport") = kSimTransport;
  job.flags["ghost"] = !options.data;
  if (options.output.empty()) job.texts.at("trace") = to_string(TraceLevel::off);
  return job.spec();
}

/// Returns the closed form where it holds: no link is shared, and all ranks are alike.
std::optional<double> closed_form_s(const JobSpec& spec) {
  const SimSetting setting = sim_setting_of(spec);
  const SimOptions& options = setting.options;
  const NetworkModel& model = options.model;
  const bool plain = options.network == nullptr && options.jitter == 0 &&
                     options.slowness.empty() && options.failures.empty() &&
                     spec.world.delays_us.empty() && spec.transport.mode == SendMode::buffered &&
                     model.ports == PortModel::full && model.overhead == 0 && model.gap == 0 &&
                     model.byte_overhead == 0;
  const Algorithm& algorithm = require_algorithm(spec.call.algorithm);
  if (!plain || find_cost_row(algorithm) == nullptr || spec.call.left_ring) return std::nullopt;
  const LinkCosts link{model.alpha, model.beta, model.gamma};
  try {
    return time(cost_of(algorithm, closed_form_input(spec), link), link);
  } catch (const UserError&) {  // too long a recurrence
    return std::nullopt;
  }
}

nlohmann::ordered_json summary_json(const JobSpec& spec, const SimSummary& summary,
                                    const std::optional<double>& closed, const std::string& file) {
  nlohmann::ordered_json json{{"algorithm", spec.call.algorithm}, {"ranks", spec.world.size},
                              {"finish_s", summary.finish_s},     {"messages", summary.messages},
                              {"events", summary.events},         {"took_s", summary.took_s}};
  if (closed) json["closed_form_s"] = *closed;
  if (!file.empty()) json["trace"] = file;
  return json;
}

std::string summary_text(const JobSpec& spec, const SimSummary& summary,
                         const std::optional<double>& closed) {
  std::string text = fmt::format("{} on {}: the last one ends after {}\n", spec.call.algorithm,
                                 plural(spec.world.size, "rank"), format_seconds(summary.finish_s));
  if (closed && *closed > 0)
    text += fmt::format("closed form {}, deviation {:.1e}\n", format_seconds(*closed),
                        summary.finish_s / *closed - 1);
  text += plural(static_cast<long long>(summary.messages), "message");
  if (summary.took_s > 0)
    text +=
        fmt::format("; simulated in {} ({:.2f} million messages/s)", format_seconds(summary.took_s),
                    static_cast<double>(summary.messages) / summary.took_s / 1e6);
  return text + "\n";
}

void print_summary(const Console& console, const JobSpec& spec, const SimSummary& summary,
                   const std::string& file) {
  const auto closed = closed_form_s(spec);
  if (console.json()) console.print_raw(summary_json(spec, summary, closed, file).dump(2) + "\n");
  else console.print(summary_text(spec, summary, closed));
  if (!file.empty()) console.note(fmt::format("trace {}", file));
}

/// Simulates recorded verbs without fibers.
int simulate_recorded(const Console& console, const SimCommand& options, const JobSpec& spec) {
  if (options.data || !options.output.empty())
    throw UserError("--schedule-mode moves no data and writes no trace: leave --data and -o out");
  const Interrupt interrupt;
  ProgressLine line(console);
  const ScheduledRun run =
      simulate_schedule(spec, {interrupt.fd(), [&line](std::string_view what, std::uint64_t done) {
                                 line.show(fmt::format("{} {}", what, done));
                               }});
  line.clear();
  if (run.interrupted) {
    std::fputs("rankscope: interrupted\n", stderr);
    return kInterrupted;
  }
  if (run.timed_out)
    throw UserError(fmt::format("nothing was simulated for {:g} s: give a larger --timeout",
                                spec.recording.timeout_s));
  print_summary(console, spec, run.summary, {});
  console.note(fmt::format("{} of steps, recorded in {}", format_bytes(run.step_bytes),
                           format_seconds(run.recording_s)));
  return kOk;
}

int simulate(const Console& console, const SimCommand& options) {
  if (!options.output.empty()) need_file_name(options.output);
  const JobSpec spec = simulated_spec(options);
  if (options.schedule_mode) return simulate_recorded(console, options, spec);
  const Interrupt interrupt;
  RunnerOptions runner_options;
  runner_options.interrupt_fd = interrupt.fd();
  runner_options.process_ends = true;
  SimRunner runner(std::move(runner_options));
  ProgressLine line(console);
  if (line.is_enabled())
    runner.on_simulated([&line](const SimSummary& so_far) {
      line.show(fmt::format("{} messages, {} of virtual time", so_far.messages,
                            format_seconds(so_far.finish_s)));
    });
  const RecordedRun run = run_recorded(runner, spec, options.output);
  line.clear();
  const RunReport report{spec, run.result, run.file, run.file_bytes};
  if (!run.result.ok()) {
    const auto failure = console.err().text(failure_text(report, console.err()));
    std::fputs(failure.c_str(), stderr);
    return exit_code_of(run.result.status);
  }
  print_summary(console, spec, runner.summary(), run.file);
  return kOk;
}

Action define_sim(OptionList app) {
  const auto options = std::make_shared<SimCommand>();
  options->job.add_algorithm(app, true);
  options->job.add_job(app);
  const OptionList network = app.in_group(title_of(JobField::Section::network));
  for (const JobField& field : job_fields())  // without data unless asked for
    if (field.section == JobField::Section::network && field.key != "ghost")
      options->job.add(network, field.key);
  const OptionList messages = app.in_group(title_of(JobField::Section::messages));
  for (const std::string_view key : {"send_mode", "eager_limit", "delays_us"})
    options->job.add(messages, key);
  const OptionList running = app.in_group(title_of(JobField::Section::running));
  options->job.add(running, "timeout_s");
  const OptionList recording = app.in_group(title_of(JobField::Section::recording));
  recording.add_option("-o,--output", "FILE.rankscope", options->output, "Record a trace");
  options->job.add(recording, "trace");
  recording.add_flag("--data", options->data,
                     "Move real data and check the results, as `run --transport sim` does");
  running.add_flag("--schedule-mode", options->schedule_mode,
                   "For very large worlds: record each rank's verbs once, then carry them out "
                   "without fibers");
  return [options](const Console& console) { return simulate(console, *options); };
}

}  // namespace

constinit const CommandEntry kSimCommand{
    .name = "sim",
    .group = kRunning,
    .summary = "run a collective in virtual time, on a network that you describe",
    .details =
        "Every rank is a fiber of one process, and messages take the time that the network model "
        "gives. Without --topology no two ranks share a link, and the closed form is printed "
        "beside the result. No data is moved without --data. The same seed gives the same run.",
    .examples =
        "rankscope sim allreduce.ring -n 64 --bytes 1MiB  # 5 us and 10 GB/s, beside the "
        "formula\n"
        "rankscope sim allreduce.ring -n 16 --bytes 1MiB --topology fat-tree  # shared links\n"
        "rankscope sim broadcast.chain -n 8 --slow 3=10 -o slow.rankscope  # a slow rank's "
        "trace\n"
        "rankscope sim allreduce.ring -n 8 --fail rank2@50us  # a rank breaks",
    .define = define_sim,
    .takes_plugins = true,
};

}  // namespace rankscope::cli
