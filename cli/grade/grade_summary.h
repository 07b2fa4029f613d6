// What `rankscope grade` says of a class in the end.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/command.h"
#include "cli/grade/grade_batch.h"

namespace rankscope::cli {

/// How many are graded, how well, what waits for a mark; `folder` has the results.
std::string class_text(const Console& console, const GradeBatch& batch, const std::string& folder);
/// The same with each student; `lines` are the remarks on the batch.
nlohmann::json class_json(const Course& course, const GradeBatch& batch,
                          const std::vector<std::string>& lines, const std::string& out);

}  // namespace rankscope::cli
