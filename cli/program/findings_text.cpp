// Formats findings as text for a terminal and as JSON.
#include "cli/program/findings_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/terminal/text.h"
#include "engine/core/base/text.h"

namespace rankscope::cli {
namespace {

std::string label(Finding::Severity severity, const Style& style) {
  const std::string word = fmt::format("{}:", to_string(severity));
  if (severity == Finding::Severity::error) return style.bad(word);
  return severity == Finding::Severity::warning ? style.warning(word) : style.dim(word);
}

}  // namespace

std::string findings_text(const std::vector<Finding>& found, const Style& style) {
  std::string text;
  for (const Finding& finding : found) {
    text += label(finding.severity, style) + " " +
            style.bold(std::string(to_string(finding.kind))) + "  ";
    if (finding.kind == Finding::Kind::deadlock) text += cycle_text(finding) + "  ";
    text += escaped(finding.what) + "\n";
    if (!finding.why.empty()) text += "  why: " + escaped(finding.why) + "\n";
    if (!finding.advice.empty()) text += "  try: " + escaped(finding.advice) + "\n";
  }
  return text;
}

std::string error_text(std::string_view error) {
  std::string text;
  for (const std::string_view line : lines_of(error))
    text += (text.empty() ? "" : "\n  ") + escaped(line);
  return text;
}

nlohmann::json finding_json(const Finding& finding) {
  nlohmann::json events = nlohmann::json::array();
  for (const std::uint64_t event : finding.events)
    events.push_back(event == kNoEvent ? nlohmann::json() : nlohmann::json(event));
  return {{"kind", to_string(finding.kind)},
          {"severity", to_string(finding.severity)},
          {"ranks", finding.ranks},
          {"events", events},
          {"site", finding.site},
          {"what", finding.what},
          {"why", finding.why},
          {"advice", finding.advice}};
}

bool stands_beside(const std::optional<meant::Verdict>& verdict,
                   const std::vector<Finding>& found) {
  return !any_fault(found) || (verdict && verdict->state == meant::Verdict::State::right);
}

std::string verdict_text(const std::optional<meant::Verdict>& verdict, bool messages) {
  if (verdict) return escaped(verdict->words);
  if (!messages) return "No rank sent anything.";
  return "Every send was received. Whether the result is right, this trace cannot say: name the "
         "collective with --as.";
}

nlohmann::json verdict_json(const std::optional<meant::Verdict>& verdict) {
  if (!verdict) return {};
  using State = meant::Verdict::State;
  const char* const word = verdict->state == State::right   ? "right"
                           : verdict->state == State::wrong ? "wrong"
                                                            : "unknown";
  return {{"data", verdict->data}, {"result", word}, {"says", verdict->words}};
}

}  // namespace rankscope::cli
