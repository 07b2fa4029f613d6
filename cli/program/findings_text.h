// Findings as a person reads them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal/console.h"
#include "engine/analysis/findings/findings.h"
#include "engine/analysis/meant/verdict.h"

namespace rankscope::cli {

/// "error: deadlock  0 → 1 → 0  2 ranks wait ...", with why it is wrong and what to try.
std::string findings_text(const std::vector<Finding>& found, const Style& style);
/// A process's error made safe to print, with its further lines indented.
std::string error_text(std::string_view error);

nlohmann::json finding_json(const Finding& finding);

/// Returns the verdict on a run's result; without one, that every send was received, or if not `messages`, that there was none.
std::string verdict_text(const std::optional<meant::Verdict>& verdict, bool messages);
/// Returns whether the verdict is said beside findings: if none is a fault, or the result is right.
bool stands_beside(const std::optional<meant::Verdict>& verdict, const std::vector<Finding>& found);
/// {"data", "result": "right", "wrong" or "unknown", "says"}; null without a verdict.
nlohmann::json verdict_json(const std::optional<meant::Verdict>& verdict);

}  // namespace rankscope::cli
