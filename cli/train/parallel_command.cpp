// `rankscope parallel`: one training step of a Transformer, divided over worker processes in one of several ways.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/run/recorded_run.h"
#include "cli/run/run_report.h"
#include "cli/terminal/console.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "cli/train/pipeline_picture.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/scene/theme.h"
#include "engine/run/job/transports.h"
#include "engine/run/make_runner.h"
#include "engine/training/job/parallel_run.h"
#include "engine/training/job/training_program.h"
#include "lessons/handout/giveaways.h"

namespace rankscope::cli {
namespace {

struct ParallelStep {
  const training::ParallelRun& run;
  const JobSpec& spec;
  const training::StepReport& report;
  const std::string& trace_file;
};

using nlohmann::json;
using training::CommunicationLine;
using training::LineCount;
using training::ParallelForm;

std::string title_of_step(const ParallelStep& step) {
  const training::TransformerShape& s = step.run.settings.shape;
  return fmt::format(
      "{}: {} over {}; {}, {} of {}, width {}, {}, inner width {}, {}", step.run.row().title,
      plural(step.spec.world.size, "rank"), step.spec.transport.name, plural(s.layers, "layer"),
      plural(s.batch, "sequence"), plural(s.sequence, "token"), s.width, plural(s.heads, "head"),
      s.inner, step.run.settings.float64 ? "float64" : "float32");
}

std::string counted(const LineCount& count, std::uint64_t formula, const Style& style) {
  const std::string text = fmt::format("{}", count.busiest());
  return count.busiest() == formula ? text : style.bad(text + " (differs)");
}

std::string line_table(const ParallelStep& step, const Style& style) {
  Table table({"",
               {"line of the step", kLeft},
               {"by", kLeft},
               {"of each rank", kLeft},
               "calls",
               "bytes by formula",
               "counted"});
  std::uint64_t formula = 0, total = 0;
  const auto& [lines, counts, ranks, missing] = step.report;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const CommunicationLine& line = lines[i];
    table.add_row({fmt::format("{}", i + 1), line.name, line.verb, line.shape,
                   fmt::format("{}", line.calls), fmt::format("{}", line.bytes),
                   counted(counts[i], line.bytes, style)});
    formula += line.bytes;
    total += counts[i].busiest();
  }
  if (counts.back().busiest() > 0)
    table.add_row(
        {"", "outside of these lines", "", "", "", "0", counted(counts.back(), 0, style)});
  table.add_row({"", "all", "", "", "", fmt::format("{}", formula), fmt::format("{}", total)});
  return table.to_string(style, 2);
}

/// Lists each formula once, with the numbers of its lines.
std::string formula_lines(const ParallelStep& step) {
  std::vector<std::pair<std::string, std::string>> formulas;
  for (std::size_t i = 0; i < step.report.lines.size(); ++i) {
    const std::string& formula = step.report.lines[i].formula;
    const auto found = ranges::find(formulas, formula, &decltype(formulas)::value_type::first);
    if (found == formulas.end()) formulas.emplace_back(formula, fmt::format("{}", i + 1));
    else found->second += fmt::format(", {}", i + 1);
  }
  std::string text;
  for (const auto& [formula, lines] : formulas) text += fmt::format("  {}: {}\n", lines, formula);
  return text;
}

std::vector<training::MemoryLine> memory_of(const ParallelStep& step) {
  const ParallelForm& form = step.run.row();
  return form.memory == nullptr ? std::vector<training::MemoryLine>()
                                : form.memory(step.run.settings, step.spec.world.size);
}

/// Returns the memory of the rank with most; "" where the form does not give it.
std::string memory_table(const ParallelStep& step, const Style& style) {
  const auto lines = memory_of(step);
  if (lines.empty()) return "";
  Table table(
      {{"kept in the step", kLeft}, {"on one rank at most"}, {"serial"}, {"formula", kLeft}});
  for (const training::MemoryLine& line : lines)
    table.add_row(
        {line.what, fmt::format("{}", line.here), fmt::format("{}", line.whole), line.formula});
  return table.to_string(style, 2) + "\n";
}

std::string error_lines(const ParallelStep& step, const Style& style) {
  const training::StepReport& report = step.report;
  double outputs = 0, gradients = 0;
  std::size_t elements = 0;
  for (const training::RankStepReport& one : report.ranks) {
    outputs = std::max(outputs, one.error.outputs);
    gradients = std::max(gradients, one.error.gradients);
    elements += one.error.elements;
  }
  const double most = training::StepReport::tolerance(step.run.settings);
  std::string text = fmt::format(
      "Largest error against the serial network, relative to each tensor's largest element: "
      "outputs {:.1e}, gradients {:.1e} ({} elements compared).\n",
      outputs, gradients, elements);
  if (report.ok(step.run.settings))
    return text + style.good("The step is the serial network's") +
           ", and every line sends what its formula says.\n";
  if (report.largest_error() > most)
    text +=
        style.bad(fmt::format("The errors are larger than {:g}: not by rounding.", most)) + "\n";
  if (report.missing > 0)
    text += style.bad(
                fmt::format("No rank has {} elements of outputs and gradients.", report.missing)) +
            "\n";
  if (!report.bytes_agree())
    text += style.bad("What was sent is not what the formulas say.") + "\n";
  return text;
}

json form_json(const ParallelForm& form) {
  return {{"name", form.name},
          {"title", form.title},
          {"divides", form.divides},
          {"source", form.source}};
}

std::string forms_text(const Style& style) {
  Table table({{"form", kLeft}, {"divides", kLeft}, {"source", kLeft}});
  for (const ParallelForm& form : training::parallel_forms())
    table.add_row({style.bold(form.name), std::string(form.divides), std::string(form.source)});
  return table.to_string(style);
}

std::string forms_json() {
  json out = json::array();
  for (const ParallelForm& form : training::parallel_forms()) out.push_back(form_json(form));
  return dump_json(out, 2) + "\n";
}

std::string step_text(const ParallelStep& step, const Style& style) {
  const ParallelForm& form = step.run.row();
  std::string text = fmt::format("{}\nDivides {}.\n{}\n\n{}\n", style.bold(title_of_step(step)),
                                 form.divides, form.source, line_table(step, style));
  text +=
      "Bytes are those that the busiest rank sends. With N ranks, L layers, B sequences of S "
      "tokens, width d,\nE bytes an element (each collective by its algorithm's closed form, see "
      "rankscope list):\n";
  return text + formula_lines(step) + "\n" + memory_table(step, style) + error_lines(step, style) +
         fmt::format("trace: {}\n", step.trace_file);
}

std::string step_json(const ParallelStep& step) {
  const training::StepReport& report = step.report;
  json lines = json::array(), ranks = json::array(), memory = json::array();
  for (std::size_t i = 0; i < report.lines.size(); ++i) {
    const CommunicationLine& line = report.lines[i];
    lines.push_back({{"name", line.name},
                     {"verb", line.verb},
                     {"shape", line.shape},
                     {"calls", line.calls},
                     {"formula", line.formula},
                     {"bytes", line.bytes},
                     {"counted", report.counts[i].busiest()},
                     {"bytes_by_rank", report.counts[i].bytes},
                     {"messages_by_rank", report.counts[i].messages}});
  }
  for (const training::MemoryLine& line : memory_of(step))
    memory.push_back({{"what", line.what},
                      {"here", line.here},
                      {"serial", line.whole},
                      {"formula", line.formula}});
  for (const training::RankStepReport& one : report.ranks)
    ranks.push_back({{"rank", one.rank},
                     {"outputs_error", one.error.outputs},
                     {"gradients_error", one.error.gradients},
                     {"worst", one.error.worst},
                     {"elements", one.error.elements}});
  const json out{{"form", form_json(step.run.row())},
                 {"world_size", step.spec.world.size},
                 {"transport", step.spec.transport.name},
                 {"settings", parse_json(training::to_json(step.run)).at("settings")},
                 {"lines", lines},
                 {"other_bytes", report.counts.back().busiest()},
                 {"memory", memory},
                 {"ranks", ranks},
                 {"missing_elements", report.missing},
                 {"largest_error", report.largest_error()},
                 {"tolerance", training::StepReport::tolerance(step.run.settings)},
                 {"ok", report.ok(step.run.settings)},
                 {"trace_file", step.trace_file}};
  return dump_json(out, 2) + "\n";
}

using training::ParallelRun;

struct ParallelOptions {
  std::string form, type = "float64", transport{kDefaultTransport}, output, schedule,
                    theme = "light";
  int ranks = 4;
  int layers = 4, batch = 4, sequence = 16, width = 32, heads = 8, inner = 64, vocabulary = 19;
  double timeout = 60;
  training::ParallelSettings settings;  ///< The settings as typed.
  OptionList app;
};

ParallelRun run_of(const ParallelOptions& options) {
  ParallelRun run;
  run.form = options.form;
  run.settings = options.settings;
  run.settings.shape = {.layers = options.layers,
                        .batch = options.batch,
                        .sequence = options.sequence,
                        .width = options.width,
                        .heads = options.heads,
                        .inner = options.inner,
                        .vocabulary = options.vocabulary};
  if (options.type != "float64" && options.type != "float32")
    throw UserError(fmt::format("--dtype is float64 or float32, not '{}'", options.type));
  run.settings.float64 = options.type == "float64";
  return run;
}

RecordedRun carry_out(const Console& console, const JobSpec& spec, const std::string& file,
                      std::string_view title, int interrupt_fd) {
  ProgressLine progress(console);
  RunnerOptions runner_options;
  runner_options.interrupt_fd = interrupt_fd;
  runner_options.notice = [&](const std::string& line) { console.note(line); };
  runner_options.on_progress = [&](const RunProgress& state) { progress.show(state); };
  runner_options.part = training::execute_training;
  const auto runner = make_runner(spec.transport.name, std::move(runner_options));
  return run_recorded(*runner, spec, file, title);
}

int run_step(const Console& console, const ParallelOptions& options) {
  if (options.app.count("--output") > 0) need_file_name(options.output);
  ParallelRun run = run_of(options);
  const ScratchFolder reports("parallel");
  run.reports = reports.path().string();
  if (options.ranks < 1) throw UserError("--np is 1 or more");
  if (options.app.count("--schedule") > 0) check_schedule_file(run.row(), options.schedule);
  (void)theme_named(options.theme);
  JobSpec spec = training::job_of(run, options.ranks);
  spec.transport.name = options.transport;
  spec.recording.timeout_s = options.timeout;
  validate(spec);
  const std::string file = options.output.empty()
                               ? fmt::format("{}-n{}.rankscope", options.form, options.ranks)
                               : options.output;
  std::optional<Interrupt> interrupt;
  if (require_transport(spec.transport.name).processes) interrupt.emplace();
  RecordedRun recorded;
  try {
    recorded = carry_out(console, spec, file, run.row().title, interrupt ? interrupt->fd() : -1);
  } catch (const UserError&) {
    if (interrupt && interrupt->happened()) return kInterrupted;
    throw;
  }
  if (!recorded.result.ok()) {
    fmt::print(stderr, "rankscope parallel: {}\n", recorded.result.message);
    return exit_code_of(recorded.result.status);
  }
  const Trace trace = TraceReader::open(file);
  training::StepReport report = training::report_of(run, trace);
  if (keeps_answers())
    for (CommunicationLine& line : report.lines) line.formula = "an answer of your course";
  if (!options.schedule.empty())
    write_picture(pipeline_picture(run.row(), run.settings, options.ranks, trace, system_ruler()),
                  options.schedule, options.theme);
  const ParallelStep step{run, spec, report, file};
  if (console.json()) console.print_raw(step_json(step));
  else if (!console.quiet() || !report.ok(run.settings))
    console.print(step_text(step, console.out()));
  return report.ok(run.settings) ? kOk : kFailed;
}

int run(const Console& console, const ParallelOptions& options) {
  if (!options.form.empty()) return run_step(console, options);
  if (console.json()) console.print_raw(forms_json());
  else console.print(forms_text(console.out()));
  return kOk;
}

void add_shape(OptionList app, ParallelOptions& o) {
  const OptionList shape = app.in_group("Transformer");
  const auto number = [&](const char* name, int& into, const char* help) {
    shape.add_with_default(name, "COUNT", into, help);
  };
  number("--layers", o.layers, "Blocks");
  number("--batch", o.batch, "Sequences");
  number("--sequence", o.sequence, "Tokens of a sequence");
  number("--width", o.width, "Numbers of a token; a multiple of the heads");
  number("--heads", o.heads, "Heads of the attention");
  number("--inner", o.inner, "Width within the MLP");
  number("--vocabulary", o.vocabulary, "Different tokens");
  number("--experts", o.settings.experts,
         "Forms with experts: experts in each block, over all ranks");
  number("--microbatches", o.settings.microbatches, "Pipelines: parts of the batch");
  shape.add_with_default("--dtype", "float64|float32", o.type, "Type of all numbers");
  shape.add_with_default("--seed", "NUMBER", o.settings.seed, "Seed of parameters and tokens");
}

Action define_parallel(OptionList app) {
  const auto o = std::make_shared<ParallelOptions>();
  o->app = app;
  app.add_option("form", "FORM", o->form, "How the step is divided; none: list the forms");
  const OptionList ranks = app.in_group("Ranks");
  ranks.add_with_default("-n,--np", "RANKS", o->ranks, "Worker processes");
  ranks.add_with_default("-t,--transport", transport_names("|"), o->transport,
                         "The transport of messages");
  ranks.add_with_default("--timeout", "SECONDS", o->timeout, "For the whole step");
  add_shape(app, *o);
  const OptionList collectives = app.in_group("Collectives");
  const auto algorithm = [&](const char* name, std::string& into, const char* help) {
    collectives.add_with_default(name, "ALGORITHM", into, help);
  };
  algorithm("--allreduce", o->settings.allreduce, "Algorithm that sums");
  algorithm("--allgather", o->settings.allgather, "Algorithm that collects");
  algorithm("--reduce-scatter", o->settings.reduce_scatter, "Algorithm that sums and divides");
  algorithm("--alltoall", o->settings.alltoall, "Algorithm that exchanges parts");
  const OptionList recording = app.in_group("Recording");
  recording.add_option("-o,--output", "FILE.rankscope", o->output, "File of the trace")
      .default_str("FORM-nRANKS.rankscope here");
  recording.add_option("--schedule", "FILE.svg", o->schedule,
                       "Pipelines: draw the schedule, planned and as it ran (svg, png or pdf)");
  recording.add_with_default("--theme", "light|dark|print", o->theme, "Colours of that picture");
  return [o](const Console& console) { return run(console, *o); };
}

}  // namespace

constinit const CommandEntry kParallelCommand{
    .name = "parallel",
    .group = kMeasuring,
    .summary = "divide a training step of a Transformer over ranks, and see what it sends",
    .details =
        "One step, forward and backward, in worker processes: by tensor parallelism, by parts of "
        "the sequence (Ulysses, ring attention), pipelines, sharded parameters or experts. Prints "
        "which collective serves which line of the step, the bytes by formula and as counted in "
        "the trace, and how far outputs and gradients are from those of the same network on one "
        "rank. Without FORM it lists the forms. The exit code is 1 when they differ by more than "
        "rounding, or the bytes differ.",
    .examples =
        "rankscope parallel  # the forms\n"
        "rankscope parallel tensor --np 4  # heads and inner width divided\n"
        "rankscope parallel ring-attention --np 8 --sequence 64 --layers 1 -o ring.rankscope\n"
        "rankscope export ring.rankscope -o ring.svg  # its time-vs-rank diagram\n"
        "rankscope parallel ulysses --np 2 --dtype float32 --alltoall alltoall.bruck\n"
        "rankscope parallel 1f1b --np 4 --batch 8 --microbatches 8 --schedule 1f1b.svg  # the "
        "bubble as a picture\n"
        "rankscope parallel tensor --np 4 --json  # for a script",
    .define = define_parallel,
};

}  // namespace rankscope::cli
