// `rankscope demo` and `rankscope replay`: a run round by round.
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/job_options.h"
#include "cli/run/recorded_run.h"
#include "cli/run/run_report.h"
#include "cli/run/story.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "cli/trace/trace_report.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/trace/trace_file.h"
#include "engine/run/job/transports.h"
#include "engine/run/make_runner.h"

namespace rankscope::cli {
namespace {

struct DemoOptions {
  JobOptions job;
  std::string output;
  OptionHandle output_option;
};

/// Returns the job with values that are easy to follow where none are given.
JobSpec demo_spec(JobOptions options) {
  if (auto& input = options.texts.at("input"); input.empty()) {
    const auto* algorithm = find_algorithm(options.texts.at("algorithm"));
    const bool moves_apart = algorithm != nullptr && algorithm->collective == Collective::alltoall;
    input = moves_apart ? "index" : "rank";
  }
  const bool sized =
      !options.count.empty() || !options.bytes.empty() || !options.texts.at("shape").empty();
  auto spec = options.spec();
  if (!sized) {
    spec.call.shape = {2 * static_cast<Count>(spec.world.size)};
    validate(spec);
  }
  return spec;
}

void print_next_commands(const Console& console, const RecordedRun& run) {
  const bool checked = !run.result.ranks.empty() && run.result.ranks.front().checked;
  const auto& style = console.out();
  if (checked) console.print(style.good("The result is right") + " on every rank.\n");
  if (run.file.empty()) return;
  console.print(
      fmt::format("The trace is in {} ({}). Next:\n"
                  "  rankscope replay {}\n"
                  "  rankscope list                              the other algorithms\n"
                  "  rankscope demo broadcast.binomial -n 8      another one, shown like this\n"
                  "  rankscope run allreduce.ring --step         every message at your command\n",
                  run.file, plural(run.result.events, "event"), run.file));
}

RecordedRun run_demo(const Console& console, const JobSpec& spec, const std::string& file,
                     int interrupt_fd) {
  RunnerOptions options;
  options.interrupt_fd = interrupt_fd;
  options.notice = [&](const std::string& line) { console.note(line); };
  return run_recorded(*make_runner(spec.transport.name, std::move(options)), spec, file);
}

int demo(const Console& console, const DemoOptions& options) {
  if (options.output_option.count() > 0) need_file_name(options.output);
  const auto spec = demo_spec(options.job);
  const auto& algorithm = require_algorithm(spec.call.algorithm);
  const auto file = options.output.empty() ? "demo-" + default_trace_file(spec) : options.output;
  std::optional<Interrupt> interrupt;  // as for `rankscope run`: threads end with the program
  if (require_transport(spec.transport.name).processes) interrupt.emplace();
  const auto run = run_demo(console, spec, file, interrupt ? interrupt->fd() : -1);
  interrupt.reset();  // what is left to do needs no orderly end
  if (!run.result.ok()) {
    const RunReport report{spec, run.result, run.file, run.file_bytes};
    if (console.json()) console.print_raw(json_text(report_json(report)));
    else std::fputs(console.err().text(failure_text(report, console.err())).c_str(), stderr);
    return exit_code_of(run.result.status);
  }
  const auto story = build_story(TraceAnalysis(TraceReader::open(run.file)), kMostValues);
  if (console.json()) {
    auto json = json_of(story);
    json["trace_file"] = run.file;
    console.print_raw(json_text(json));
    return kOk;
  }
  const auto ranks = static_cast<std::uint64_t>(spec.world.size);
  const auto who =
      plural(ranks, require_transport(spec.transport.name).processes ? "process" : "thread");
  console.print(fmt::format("{}\n{} ran the {} ({}).\n\n", console.out().bold(title_of(spec)), who,
                            algorithm.title, plural(story.rounds, "round")));
  show_story(console, story, false);
  print_next_commands(console, run);
  return kOk;
}

struct ReplayOptions {
  std::string file;
  bool all = false;
};

int replay(const Console& console, const ReplayOptions& options) {
  const auto trace = open_trace(console, options.file, "`rankscope replay`");
  const int code = lost_something(trace.issues()) ? kBadInput : kOk;
  const auto story = build_story(TraceAnalysis(trace), kMostValues);
  if (console.json()) {
    console.print_raw(json_text(json_of(story)));
    return code;
  }
  console.print(fmt::format("{}: {}, {}\n\n", console.out().bold(trace.meta().algorithm),
                            plural(trace.world_size(), "rank"), plural(story.rounds, "round")));
  const bool terminal = console.in_is_terminal() && console.out_is_terminal();
  show_story(console, story, terminal && !options.all);
  return code;
}

Action define_demo(OptionList app) {
  const auto options = std::make_shared<DemoOptions>();
  options->job.texts.at("input").clear();
  options->job.add_algorithm(app, false);
  options->job.add_job(app);
  options->job.add(app, JobField::Section::messages);
  options->job.add(app.in_group(title_of(JobField::Section::running)), "timeout_s");
  app.get_option("--count").default_str("two a rank");
  app.get_option("--input").default_str("rank; index for alltoall");
  options->output_option =
      app.in_group(title_of(JobField::Section::recording))
          .add_option("-o,--output", "FILE.rankscope", options->output, "File of the trace")
          .default_str("demo-ALGORITHM-nRANKS.rankscope here");
  return [options](const Console& console) { return demo(console, *options); };
}

Action define_replay(OptionList app) {
  const auto options = std::make_shared<ReplayOptions>();
  app.add_option("FILE", "FILE.rankscope", options->file, "A trace of any run").required();
  app.add_flag("--all", options->all, "Everything at once, also on a terminal");
  return [options](const Console& console) { return replay(console, *options); };
}

}  // namespace

constinit const CommandEntry kDemoCommand{
    .name = "demo",
    .group = kRunning,
    .summary = "run a small collective and show it round by round",
    .details =
        "Starts real processes, runs the algorithm on a few elements, and shows from the trace who "
        "sent what to whom and what every rank held after each round.",
    .examples =
        "rankscope demo  # a ring allreduce of four ranks\n"
        "rankscope demo broadcast.binomial -n 8  # a tree\n"
        "rankscope demo alltoall.pairwise -n 3 --count 9  # a transpose",
    .define = define_demo,
    .takes_plugins = true,
};

constinit const CommandEntry kReplayCommand{
    .name = "replay",
    .group = kRunning,
    .summary = "show a recorded run round by round",
    .details =
        "On a terminal, one round at a time: Enter or n shows the next, b the one before, q quits. "
        "Otherwise all rounds at once.",
    .examples =
        "rankscope replay allreduce.ring-n8.rankscope\n"
        "rankscope replay allreduce.ring-n8.rankscope --json  # for a script",
    .define = define_replay,
};

}  // namespace rankscope::cli
