// `rankscope check`: the findings of a trace.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/text.h"
#include "cli/trace_report.h"
#include "engine/analysis/findings.h"
#include "engine/core/trace_file.h"
#include "engine/core/utf8.h"

namespace rankscope::cli {
namespace {

using nlohmann::json;

std::string findings_text(const std::vector<Finding>& found, const Style& style) {
  std::string text;
  for (const Finding& finding : found) {
    text += style.bad(std::string(to_string(finding.kind))) + "  ";
    if (finding.kind == Finding::Kind::deadlock) text += circle_text(finding) + "  ";
    text += escaped(finding.what) + "\n";
    if (!finding.why.empty()) text += "  why: " + finding.why + "\n";
    if (!finding.advice.empty()) text += "  try: " + escaped(finding.advice) + "\n";
  }
  return text;
}

std::string findings_json(const std::vector<Finding>& found) {
  json list = json::array();
  for (const Finding& finding : found) {
    json events = json::array();
    for (const std::uint64_t event : finding.events)
      events.push_back(event == kNoEvent ? json() : json(event));
    list.push_back({{"kind", to_string(finding.kind)},
                    {"ranks", finding.ranks},
                    {"events", events},
                    {"site", finding.site},
                    {"what", finding.what},
                    {"why", finding.why},
                    {"advice", finding.advice}});
  }
  return json_text({{"findings", list}});
}

int run_check(const Console& console, const std::string& file) {
  const Trace trace = TraceReader::open(file);
  warn_of_issues(console, file, trace.issues());
  const auto found = findings(trace);
  if (console.json()) console.print_raw(findings_json(found));
  else if (!found.empty()) console.print(findings_text(found, console.out()));
  else if (!trace.meta().complete)
    console.print("The trace has no end: what is missing in it may be on its way.\n");
  else console.print("Nothing is wrong that a trace can show.\n");
  if (lost_something(trace.issues())) return kBadInput;
  return found.empty() ? kOk : kFailed;
}

}  // namespace

Action define_check(OptionList app) {
  const auto file = std::make_shared<std::string>();
  app.add_option("FILE", *file, "The trace")->type_name("FILE")->required();
  return [file](const Console& console) { return run_check(console, *file); };
}

}  // namespace rankscope::cli
