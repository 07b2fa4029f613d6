// Comments of marks.toml for several students: for all, or for those with the same mistake.
#pragma once

#include <string>
#include <vector>

#include "lessons/course/marks.h"
#include "lessons/reports/results_json.h"

namespace rankscope {

/// Puts the comments that apply before the TA's own ones.
void add_bulk_comments(const std::vector<BulkComment>& comments, StudentReport& report);

/// "marks.toml:12: nobody gets the comment on ...", one line for each: probably a typing error.
std::vector<std::string> unused_bulk_comments(const Marks& marks,
                                              const std::vector<GradebookRow>& rows,
                                              const std::vector<CourseEntry>& entries);

/// All comments on a student, as "1.2 sums/sums: Compare with page 2."; may be empty.
std::string comments_text(const GradebookRow& row, const std::vector<CourseEntry>& entries);

}  // namespace rankscope
