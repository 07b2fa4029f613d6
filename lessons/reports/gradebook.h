// Writes a class's results: gradebooks for spreadsheets and other systems, a page for the TA, and bulk comments.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/marks.h"
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

/// Puts the comments that apply before the TA's own ones.
void add_bulk_comments(const std::vector<BulkComment>& comments, StudentReport& report);

/// "marks.toml:12: nobody gets the comment on ...", one line for each: probably a typing error.
std::vector<std::string> unused_bulk_comments(const Marks& marks,
                                              const std::vector<GradebookRow>& rows,
                                              const std::vector<CourseEntry>& entries);

/// All comments on a student, as "1.2 sums/sums: Compare with page 2."; may be empty.
std::string comments_text(const GradebookRow& row, const std::vector<CourseEntry>& entries);

}  // namespace rankscope
