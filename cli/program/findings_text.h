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

/// The words for a run in which nothing is wrong: its result is right, where it is known what was meant. `messages`:
/// whether it has any.
std::string verdict_text(const std::optional<meant::Verdict>& verdict, bool messages);
/// Whether these words are said beside findings: a right result is, beside warnings of other things, too.
bool stands_beside(const std::optional<meant::Verdict>& verdict, const std::vector<Finding>& found);
/// {"data", "result": "right", "wrong" or "unknown", "says"}; null where it is not known what was meant.
nlohmann::json verdict_json(const std::optional<meant::Verdict>& verdict);

}  // namespace rankscope::cli
