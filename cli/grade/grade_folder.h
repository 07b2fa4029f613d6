// The folder of the results of a class: what is in it already, and what does not belong there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lessons/reports/course_report.h"
#include "lessons/reports/results_json.h"

namespace rankscope::cli {

/// Throws UserError when `out` is a folder of submissions, or has one in it: our own results would be
/// graded the next time.
void check_out(const std::filesystem::path& out, const std::vector<std::string>& submissions);

/// Whose results are there.
std::vector<TakenFolder> taken_folders(const std::vector<EarlierResults>& earlier);

/// Rows of students who are not in this batch, for the gradebook; what is left out, or as old as it is,
/// becomes a line.
std::vector<GradebookRow> earlier_rows(const std::vector<EarlierResults>& earlier,
                                       const std::vector<SubmissionHead>& heads,
                                       const CourseGrader& grader, std::vector<std::string>& lines);

}  // namespace rankscope::cli
