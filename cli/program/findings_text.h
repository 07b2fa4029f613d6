// Findings as a person reads them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal/console.h"
#include "engine/analysis/findings/findings.h"

namespace rankscope::cli {

/// "error: deadlock  0 → 1 → 0  2 ranks wait ...", with why it is wrong and what to try.
std::string findings_text(const std::vector<Finding>& found, const Style& style);

nlohmann::json finding_json(const Finding& finding);

}  // namespace rankscope::cli
