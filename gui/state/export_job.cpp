#include "gui/state/export_job.h"

#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "gui/state/program.h"

namespace rankscope::gui {
namespace {

// What the command calls it; data files take no diagram.
std::string diagram_of(const ExportJob& job) {
  for (const std::string_view data : {".jsonl", ".csv", ".json"})
    if (job.output.ends_with(data)) return "";
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames = {
      {{"buffers", "grid"},
       {"table", "grid"},
       {"graph", "graph"},
       {"matrix", "matrix"},
       {"statistics", "statistics"},
       {"schematic", "schematic"}}};
  for (const auto& [view, diagram] : kNames)
    if (job.diagram == view) return std::string(diagram);
  return job.diagram == "grid" || job.diagram == "strip" ? job.diagram : "spacetime";
}

}  // namespace

std::pair<bool, std::string> carry_out(const ExportJob& job) {
  std::vector<std::string> words{job.program, "export", job.trace, "-o", job.output, "--quiet"};
  const std::string diagram = diagram_of(job);
  if (!diagram.empty()) {
    words.insert(words.end(), {"--diagram", diagram});
    if (!job.theme.empty() && !job.output.ends_with(".pdf"))
      words.insert(words.end(), {"--theme", job.theme});
    if (diagram == "spacetime" && job.measured) words.insert(words.end(), {"--time", "measured"});
  }
  const ProgramOutput output = run_program(std::move(words));
  if (output.status == 0) return {true, fmt::format("written: {}", job.output)};
  std::string message = output.errors;
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return {false, message.empty() ? fmt::format("{} was not written", job.output) : message};
}

}  // namespace rankscope::gui
