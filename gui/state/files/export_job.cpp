#include "gui/state/files/export_job.h"

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/diagrams/catalogue.h"
#include "gui/state/files/program.h"

namespace rankscope::gui {
namespace {

bool ends_with_one_of(const std::string& file, std::span<const std::string_view> endings) {
  for (const std::string_view ending : endings)
    if (file.ends_with(ending)) return true;
  return false;
}

// Data files take no diagram.
bool is_data(const std::string& file) {
  return ends_with_one_of(file, std::array<std::string_view, 3>{".jsonl", ".csv", ".json"});
}

std::string_view diagram_of(const ExportJob& job) {
  if (const DiagramKind* kind = find_diagram(job.diagram)) return kind->name;
  throw UserError(fmt::format(
      "what the view \"{}\" shows is no diagram, so it cannot be exported: `copy-picture` "
      "and F12 make a picture of it; or name one: export {} spacetime",
      job.diagram, job.output));
}

// The command's own advice is for whoever typed it.
std::string said_by(std::string errors) {
  while (!errors.empty() && errors.back() == '\n') errors.pop_back();
  constexpr std::string_view kHead = "rankscope: error: ";
  if (errors.starts_with(kHead)) errors.erase(0, kHead.size());
  for (const std::string_view advice : {" with --output", "\nTry 'rankscope", " Try 'rankscope"}) {
    const auto at = errors.find(advice);
    if (at == std::string::npos) continue;
    if (advice == " with --output") errors.erase(at, advice.size());
    else errors.erase(at);
  }
  return errors;
}

}  // namespace

std::vector<std::string> words_of(const ExportJob& job) {
  std::vector<std::string> words{job.program, "export", job.trace, "-o", job.output, "--quiet"};
  if (is_data(job.output)) return words;
  const std::string_view diagram = diagram_of(job);
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  add({"--diagram", std::string(diagram)});
  if (!job.theme.empty() && !job.output.ends_with(".pdf"))
    add({"--theme", job.theme == "contrast" ? "dark" : job.theme});
  const bool moves = ends_with_one_of(job.output, std::array<std::string_view, 2>{".html", ".gif"});
  if (diagram == "spacetime") {
    if (job.measured) add({"--time", "measured"});
    if (job.portrait) add({"--portrait"});
    if (job.critical_path) add({"--critical-path"});
  } else if (diagram == "grid") {
    if (job.round && !moves) add({"--round", fmt::format("{}", *job.round)});
    add({job.values || job.diagram == "table" ? "--values" : "--contributions"});
  } else if (diagram == "graph") {
    if (job.round && !moves) add({"--round", fmt::format("{}", *job.round)});
  } else if (diagram == "compare") {
    if (job.with.empty())
      throw UserError(
          "there is no second run to compare with: `compare keep` or `compare FILE`, then "
          "save both, then export");
    add({"--with", job.with});
  }
  return words;
}

std::pair<bool, std::string> carry_out(const ExportJob& job) {
  const ProgramOutput output = run_program(words_of(job));
  const bool other_colours =
      job.theme == "contrast" && !is_data(job.output) && !job.output.ends_with(".pdf");
  if (output.status == 0)
    return {true, fmt::format("written: {}{}", job.output,
                              other_colours ? " (dark: files have no contrast theme)" : "")};
  const std::string message = said_by(output.errors);
  return {false, message.empty() ? fmt::format("{} was not written", job.output) : message};
}

}  // namespace rankscope::gui
