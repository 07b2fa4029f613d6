// `rankscope check`: the findings of a trace.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/program/findings_text.h"
#include "cli/terminal/text.h"
#include "cli/trace/trace_report.h"
#include "engine/analysis/findings/built_in_calls.h"
#include "engine/analysis/trace_analysis.h"
#include "engine/core/base/utf8.h"
#include "engine/core/trace/trace_file.h"

namespace rankscope::cli {
namespace {

using nlohmann::json;

std::string findings_json(const Trace& trace, const std::vector<Finding>& found) {
  json list = json::array();
  for (const Finding& finding : found) {
    list.push_back(finding_json(finding));
  }
  json calls = json::array();
  for (const Delegation& one : delegations(trace)) {
    json callers = json::array();
    for (const auto& caller : one.callers)
      callers.push_back({{"function", caller.function}, {"site", caller.site}});
    calls.push_back({{"name", one.name},
                     {"ranks", one.ranks},
                     {"times", one.times},
                     {"event", one.first},
                     {"callers", callers},
                     {"what", one.text()}});
  }
  return json_text({{"findings", list}, {"built_in_calls", calls}});
}

int run_check(const Console& console, const std::string& file) {
  const TraceAnalysis analysis(TraceReader::open(file));
  const Trace& trace = analysis.trace();
  warn_of_issues(console, file, trace.issues());
  const auto& found = analysis.findings();
  if (console.json()) console.print_raw(findings_json(trace, found));
  else if (!found.empty()) console.print(findings_text(found, console.out()));
  else if (!trace.meta().complete)
    console.print("The trace has no end: what is missing in it may be on its way.\n");
  else console.print("Nothing is wrong that a trace can show.\n");
  if (lost_something(trace.issues())) return kBadInput;
  return any_fault(found) ? kFailed : kOk;
}

}  // namespace

Action define_check(OptionList app) {
  const auto file = std::make_shared<std::string>();
  app.add_option("FILE", "FILE", *file, "The trace").required();
  return [file](const Console& console) { return run_check(console, *file); };
}

}  // namespace rankscope::cli
