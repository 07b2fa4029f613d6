// `rankscope check`: the findings of a trace.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/program/findings_text.h"
#include "cli/terminal/text.h"
#include "cli/trace/trace_report.h"
#include "engine/analysis/findings/built_in_calls.h"
#include "engine/analysis/trace_analysis.h"
#include "engine/core/base/json_text.h"
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

/// How the run itself ended, where that was badly: "the run took longer than 600 s".
std::string failure_of(const Trace& trace) {
  const auto result = parse_json_or_none(trace.meta().result_json);
  if (!result.is_object()) return {};
  const auto word = [&](const char* name) {
    const auto at = result.find(name);
    return at != result.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  constexpr std::string_view kBad[] = {"failed", "timeout", "interrupted", "deadlock"};
  const std::string status = word("status");
  if (std::ranges::find(kBad, status) == std::end(kBad)) return {};
  const std::string message = word("message");
  return message.empty() ? status : message;
}

// As `rankscope exec` ends for the same run: a warning is no failure.
int run_check(const Console& console, const std::string& file) {
  const TraceAnalysis analysis(TraceReader::open(file));
  const Trace& trace = analysis.trace();
  warn_of_issues(console, file, trace.issues());
  const auto& found = analysis.findings();
  const std::string failure = failure_of(trace);
  if (console.json()) console.print_raw(findings_json(trace, found));
  else if (!found.empty()) console.print(findings_text(found, console.out()));
  else if (!failure.empty())
    console.print(
        fmt::format("{} {}\n", console.out().bad("The run did not end well:"), escaped(failure)));
  else if (!trace.meta().complete)
    console.print("The trace has no end: what is missing in it may be on its way.\n");
  else if (trace.meta().collective) console.print("Nothing is wrong that a trace can show.\n");
  else console.print("Every message fits. Whether the result is right, this trace cannot say.\n");
  if (lost_something(trace.issues())) return kBadInput;
  return any_error(found) || !failure.empty() ? kFailed : kOk;
}

}  // namespace

Action define_check(OptionList app) {
  const auto file = std::make_shared<std::string>();
  app.add_option("FILE", "FILE", *file, "The trace").required();
  return [file](const Console& console) { return run_check(console, *file); };
}

}  // namespace rankscope::cli
