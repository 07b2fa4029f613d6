// A class: one table, and one page for the TA.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/reports/class_rules.h"
#include "lessons/reports/course_report.h"
#include "lessons/reports/results_json.h"
#include "lessons/reports/roster.h"

namespace rankscope {

/// One row a student: a column for each item, the total, what waits for a TA, what is wrong. Opens in a
/// spreadsheet as it is: no cell is a formula, whatever a student is called.
/// `rules`: also columns of the roster, and when it was handed in and what that cost.
std::string gradebook_csv(const std::vector<GradebookRow>& rows,
                          const std::vector<CourseEntry>& entries, const ClassRules& rules = {});

/// A page on the class: points, open marks, faults of submissions, and how the items went. `complaints` are about the
/// batch as a whole.
std::string class_html(const std::vector<GradebookRow>& rows,
                       const std::vector<CourseEntry>& entries, const Course& course,
                       const std::vector<std::string>& complaints);

struct GradebookForm {
  std::string_view name;  ///< "canvas"
  std::string (*write)(const std::vector<GradebookRow>& rows,
                       const std::vector<CourseEntry>& entries, const Course& course,
                       const Roster& roster);
};
/// canvas, moodle, gradescope.
std::span<const GradebookForm> gradebook_forms() noexcept;

/// Remarks for the teacher: students who are not in the roster, points that wait for a TA or for a run of a program.
std::vector<std::string> gradebook_remarks(const std::vector<GradebookRow>& rows,
                                           const std::vector<CourseEntry>& entries,
                                           const Roster& roster);

}  // namespace rankscope
