// Gradebooks as other systems import them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/reports/results_json.h"
#include "lessons/reports/roster.h"

namespace rankscope {

struct GradebookForm {
  std::string_view name;  ///< "canvas"
  std::string (*write)(const std::vector<GradebookRow>& rows,
                       const std::vector<CourseEntry>& entries, const Course& course,
                       const Roster& roster);
};
/// canvas, moodle, gradescope.
std::span<const GradebookForm> gradebook_forms() noexcept;

/// What is to be reported of it: who is not in the roster, whose points wait for a TA or for a run of a program.
std::vector<std::string> gradebook_remarks(const std::vector<GradebookRow>& rows,
                                           const std::vector<CourseEntry>& entries,
                                           const Roster& roster);

}  // namespace rankscope
