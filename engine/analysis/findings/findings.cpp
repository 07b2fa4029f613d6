#include "engine/analysis/findings/findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/analysis/findings/finding_facts.h"

namespace rankscope {

std::string_view to_string(Finding::Kind kind) noexcept {
  using Kind = Finding::Kind;
  switch (kind) {
    case Kind::mismatched_call: return "calls that do not agree";
    case Kind::deadlock: return "deadlock";
    case Kind::lost_rank: return "lost rank";
    case Kind::early_exit: return "early exit";
    case Kind::self_send: return "message to itself";
    case Kind::not_contiguous: return "array with gaps";
    case Kind::truncated: return "truncated message";
    case Kind::size_mismatch: return "size mismatch";
    case Kind::dtype_mismatch: return "dtype mismatch";
    case Kind::buffer_in_use: return "buffer in use";
    case Kind::unreceived: return "unreceived message";
    case Kind::unmatched: return "unmatched receive";
    case Kind::needs_buffering: return "needs buffered sends";
    case Kind::request_dropped: return "request never waited for";
    case Kind::wildcard: return "receive from anybody";
  }
  return "unknown";
}

std::string_view to_string(Finding::Severity severity) noexcept {
  switch (severity) {
    case Finding::Severity::error: return "error";
    case Finding::Severity::warning: return "warning";
    case Finding::Severity::hint: return "hint";
  }
  return "unknown";
}

std::string circle_text(const Finding& deadlock) {
  std::string text;
  constexpr std::size_t kMost = 16;
  for (std::size_t i = 0; i < std::min(deadlock.ranks.size(), kMost); ++i)
    text += fmt::format("{} → ", deadlock.ranks[i]);
  if (deadlock.ranks.size() > kMost) text += "… → ";
  return deadlock.ranks.empty() ? text : text + fmt::to_string(deadlock.ranks.front());
}

bool any_fault(const std::vector<Finding>& found) noexcept {
  return std::ranges::any_of(
      found, [](const Finding& one) { return one.severity != Finding::Severity::hint; });
}

std::vector<Finding> findings(const Trace& trace, std::size_t most) {
  if (!trace.meta().complete) return {};
  const finder::Facts facts(trace);
  finder::Report report(most);
  // In this order: what was found explains what comes later.
  finder::find_calls(facts, report);
  finder::find_messages(facts, report);
  finder::find_notes(facts, report);
  finder::find_memory(facts, report);
  if (facts.status == "failed") finder::find_lost(facts, report);
  finder::find_races(facts, report);
  // Of a run that broke off, its messages were still on their way.
  if (facts.status != "failed" && facts.status != "interrupted")
    finder::find_waiting(facts, report);
  finder::find_buffered_only(facts, report);
  return report.take();
}

}  // namespace rankscope
