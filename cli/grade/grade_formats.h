// Which files grading writes: the lists of --format and --gradebook.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lessons/reports/gradebook_forms.h"

namespace rankscope::cli {

/// "results,html": of GradeBatch::kFormats. Throws UserError that names those that there are.
std::set<std::string> formats_of(const std::string& list);
/// Gradebooks for other systems: those that --gradebook names. Throws UserError.
std::vector<const GradebookForm*> forms_of(const std::string& list);

}  // namespace rankscope::cli
