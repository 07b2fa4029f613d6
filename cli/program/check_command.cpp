// `rankscope check`: the findings of a trace.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/program/findings_text.h"
#include "cli/program/program_notes.h"
#include "cli/terminal/text.h"
#include "cli/trace/trace_report.h"
#include "engine/analysis/events/built_in_calls.h"
#include "engine/analysis/findings/what_if.h"
#include "engine/analysis/trace_analysis.h"
#include "engine/core/base/text.h"

namespace rankscope::cli {
namespace {

using nlohmann::json;

/// Returns how a deadlock would have ended with each change to its program.
std::string what_if_text(const std::vector<WhatIf>& all) {
  if (all.empty()) return "\nWhat if: there is no deadlock of sends and receives to ask about.\n";
  std::size_t widest = 0;
  for (const WhatIf& one : all) widest = std::max(widest, one.label.size());
  std::string text = "\nWhat if:\n";
  for (const WhatIf& one : all)
    text += fmt::format("  {:<{}}  {}\n", one.label, widest, one.outcome);
  return all.front().proviso.empty() ? text : text + "  " + all.front().proviso + "\n";
}

json what_if_json(const std::vector<WhatIf>& all) {
  json list = json::array();
  for (const WhatIf& one : all)
    list.push_back({{"name", one.name},
                    {"label", one.label},
                    {"ends", one.ends},
                    {"outcome", one.outcome},
                    {"proviso", one.proviso}});
  return list;
}

std::string findings_json(const Trace& trace, const std::vector<Finding>& found, json meant,
                          bool with_what_if) {
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
  json all{{"findings", list}, {"built_in_calls", calls}, {"meant", std::move(meant)}};
  if (with_what_if) all["what_if"] = what_if_json(what_ifs(trace));
  return json_text(all);
}

/// Returns how the run failed: "the run took longer than 600 s"; else empty.
std::string failure_of(const Trace& trace) {
  using Status = JobResult::Status;
  const auto& outcome = trace.meta().outcome;
  if (!outcome || outcome->ok() || outcome->status == Status::wrong_result) return {};
  return outcome->message.empty() ? std::string(to_string(outcome->status)) : outcome->message;
}

struct CheckOptions {
  std::string file;
  MeantOptions meant;
  bool what_if = false;
};

/// Judges the result by --as, or else by what the trace says was meant.
std::optional<meant::Verdict> verdict_of(const Trace& trace, const MeantOptions& meant) {
  if (!meant.asked()) return meant::judge(trace.meta());
  const auto meaning = meant::parse_meaning(meant.as);
  if (const auto& handed = trace.meta().handed; handed && !handed->calls.empty())
    return meant::judge(*handed, meaning, meant.data.empty() ? handed->data : meant.data);
  meant::Verdict out;
  out.words = fmt::format(
      "Whether the result is that of {} cannot be said: the trace does not hold what the ranks "
      "began and ended with. Record it again: rankscope exec --as {} ...",
      meaning.words(), meant.as);
  return out;
}

/// Replaces findings on the result by those that --as asks for.
void judge_again(std::vector<Finding>& found, const std::optional<meant::Verdict>& verdict) {
  std::erase_if(found, [](const Finding& one) {
    return one.kind == Finding::Kind::wrong_result || one.kind == Finding::Kind::input_changed;
  });
  if (verdict) found.insert(found.begin(), verdict->findings.begin(), verdict->findings.end());
}

// Returns the exit code that `rankscope exec` has for the same run; a warning is no failure.
int run_check(const Console& console, const CheckOptions& options) {
  options.meant.check();
  const std::string& file = options.file;
  const TraceAnalysis analysis(read_whole_trace(file, "`rankscope check`"));
  const Trace& trace = analysis.trace();
  warn_of_issues(console, file, trace.issues());
  const auto verdict = verdict_of(trace, options.meant);
  auto found = analysis.findings();
  if (options.meant.asked()) judge_again(found, verdict);
  const std::string failure = failure_of(trace);
  if (console.json())
    console.print_raw(findings_json(trace, found, verdict_json(verdict), options.what_if));
  else if (!stands_beside(verdict, found)) console.print(findings_text(found, console.out()));
  else if (!failure.empty())
    console.print(
        fmt::format("{} {}\n", console.out().bad("The run did not end well:"), escaped(failure)));
  else if (!trace.meta().complete)
    console.print("The trace has no end: what is missing in it may be on its way.\n");
  else if (trace.meta().collective && !verdict)
    console.print("Nothing is wrong that a trace can show.\n");
  else
    console.print(findings_text(found, console.out()) +
                  verdict_text(verdict, analysis.statistics().total.messages > 0) + "\n");
  if (options.what_if && !console.json()) console.print(what_if_text(what_ifs(trace)));
  if (lost_something(trace.issues())) return kBadInput;
  if (only_unsupported(found)) return kUnsupported;
  return any_error(found) || !failure.empty() ? kFailed : kOk;
}

Action define_check(OptionList app) {
  const auto options = std::make_shared<CheckOptions>();
  app.add_option("FILE", "FILE", options->file, "The trace").required();
  add_meant_options(app, options->meant);
  app.add_flag("--what-if", options->what_if,
               "For a deadlock, also try: a rank receives first, isend, buffered sends");
  return [options](const Console& console) { return run_check(console, *options); };
}

}  // namespace

constinit const CommandEntry kCheckCommand{
    .name = "check",
    .group = kTraces,
    .summary = "find deadlocks, mismatched messages and other faults in a trace",
    .details =
        "Names the ranks that wait for each other in a cycle, unmatched or mismatched sends and "
        "receives, collectives that the ranks do not call alike, memory that is used while a "
        "request is open, requests that nobody waits for, sends that must be buffered, receives "
        "from any rank that depend on timing, and ranks that were lost or ended early; each with "
        "its source line, the reason, and what to try. The exit code is 1 for errors and for a run "
        "that did not end well, 0 if there are only warnings and hints, 69 if the only error is a "
        "part of the platform that rankscope lacks. This equals the exit code of `rankscope exec`, "
        "except after Ctrl-C (exec: 130, check: 1).",
    .examples =
        "rankscope check allreduce.ring-n8.rankscope\n"
        "rankscope check ring.py-n4.rankscope --what-if  # how a deadlock could be avoided\n"
        "rankscope check allreduce.ring-n8.rankscope --json  # for a script",
    .define = define_check,
};

}  // namespace rankscope::cli
