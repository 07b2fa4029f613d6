// Runs all searches for findings on a trace, sorts what they find, and describes deadlock cycles.
#include "engine/analysis/findings/findings.h"

#include <fmt/format.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/ranges.h"

namespace rankscope {

std::string_view to_string(Finding::Severity severity) noexcept {
  switch (severity) {
    case Finding::Severity::error: return "error";
    case Finding::Severity::warning: return "warning";
    case Finding::Severity::hint: return "hint";
  }
  return "unknown";
}

std::string cycle_text(const Finding& deadlock) {
  std::string text;
  constexpr std::size_t kMost = 16;
  for (std::size_t i = 0; i < std::min(deadlock.ranks.size(), kMost); ++i)
    text += fmt::format("{} → ", deadlock.ranks[i]);
  if (deadlock.ranks.size() > kMost) text += "… → ";
  return deadlock.ranks.empty() ? text : text + fmt::to_string(deadlock.ranks.front());
}

bool any_fault(const std::vector<Finding>& found) noexcept {
  return ranges::any_of(found,
                        [](const Finding& one) { return one.severity != Finding::Severity::hint; });
}

bool any_error(const std::vector<Finding>& found) noexcept {
  return ranges::any_of(
      found, [](const Finding& one) { return one.severity == Finding::Severity::error; });
}

bool only_unsupported(const std::vector<Finding>& found) noexcept {
  return any_error(found) && ranges::all_of(found, [](const Finding& one) {
           return one.severity != Finding::Severity::error ||
                  one.kind == Finding::Kind::not_supported;
         });
}

Finding unsupported(const Handed::Remark& noted) {
  Finding found(Finding::Kind::not_supported);
  if (noted.line > 0) found.site = fmt::format("{}:{}", noted.file, noted.line);
  found.what = fmt::format("{}{}: the program is not at fault", noted.what,
                           found.site.empty() ? "" : " (" + found.site + ")");
  found.why = noted.why;
  found.advice = noted.advice;
  return found;
}

std::vector<Finding> findings(const Trace& trace, std::size_t most) {
  if (!trace.meta().complete) return {};
  const finder::TraceOperations facts(trace);
  finder::Report report(most);
  // In this order: earlier findings explain later ones.
  finder::find_calls(facts, report);
  finder::find_messages(facts, report);
  finder::find_notes(facts, report);
  finder::find_memory(facts, report);
  if (facts.status == JobResult::Status::failed) finder::find_lost(facts, report);
  if (facts.status == JobResult::Status::timeout || facts.status == JobResult::Status::interrupted)
    finder::find_unfinished(facts, report);
  finder::find_races(facts, report);
  // When a run breaks off, messages are still on their way.
  if (facts.status != JobResult::Status::failed && facts.status != JobResult::Status::interrupted)
    finder::find_waiting(facts, report);
  finder::find_buffered_only(facts, report);
  finder::find_misused(facts, report);
  if (facts.ran_through()) finder::find_meant(facts, report);
  return report.take();
}

}  // namespace rankscope
