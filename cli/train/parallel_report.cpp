// A parallel step for a terminal, and as JSON.
#include "cli/train/parallel_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"

namespace rankscope::cli {
namespace {

using nlohmann::json;
using training::CommunicationLine;
using training::LineCount;
using training::ParallelForm;

std::string title_of_step(const ParallelStep& step) {
  const training::TransformerShape& s = step.run.settings.shape;
  return fmt::format("{}: {} over {}; {}, {} of {}, width {}, {}, inner width {}, {}",
                     step.run.row().title, plural(step.spec.world_size, "rank"),
                     step.spec.transport, plural(s.layers, "layer"), plural(s.batch, "sequence"),
                     plural(s.sequence, "token"), s.width, plural(s.heads, "head"), s.inner,
                     step.run.settings.float64 ? "float64" : "float32");
}

std::string counted(const LineCount& count, std::uint64_t formula, const Style& style) {
  const std::string text = fmt::format("{}", count.busiest());
  return count.busiest() == formula ? text : style.bad(text + " (differs)");
}

std::string line_table(const ParallelStep& step, const Style& style) {
  Table table({{""},
               {"line of the step", kLeft},
               {"by", kLeft},
               {"of each rank", kLeft},
               {"calls"},
               {"bytes by formula"},
               {"counted"}});
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

/// Each formula once, with the numbers of its lines.
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
                                : form.memory(step.run.settings, step.spec.world_size);
}

/// What the rank with most keeps; empty where the form says nothing of it.
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
      "outputs "
      "{:.1e}, gradients {:.1e} ({} elements compared).\n",
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

}  // namespace

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
      "rankscope "
      "list):\n";
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
                 {"world_size", step.spec.world_size},
                 {"transport", step.spec.transport},
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

}  // namespace rankscope::cli
