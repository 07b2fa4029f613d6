// Comments of marks.toml that are for all students with the same mistake.
#pragma once

#include <string>
#include <vector>

#include "lessons/course/marks.h"
#include "lessons/reports/results_json.h"

namespace rankscope {

/// Those that fit stand before the TA's own comments.
void add_bulk_comments(const std::vector<BulkComment>& comments, StudentReport& report);

/// "marks.toml:12: nobody gets the comment on ...", one line for each: a slip of the pen, perhaps.
std::vector<std::string> unused_bulk_comments(const Marks& marks,
                                              const std::vector<GradebookRow>& rows,
                                              const std::vector<CourseEntry>& entries);

/// All comments on a student, as "1.2 sums/sums: Compare with page 2."; may be empty.
std::string comments_text(const GradebookRow& row, const std::vector<CourseEntry>& entries);

}  // namespace rankscope
