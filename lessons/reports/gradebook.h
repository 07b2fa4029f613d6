// Writes a class's results: gradebooks for spreadsheets and other systems, and a page for the TA.
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

/// One row per student: a column for each item, the total, what waits for a TA, what is wrong. No cell is a formula for a
/// spreadsheet, whatever a student is called. With `rules`, also columns of the roster, the time of handing in, and the
/// penalty.
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
