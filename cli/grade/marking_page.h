// `rankscope grade --marking`: a page on which a TA marks written answers by the keyboard, and which gives marks.toml back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/marks.h"
#include "lessons/reports/course_report.h"

namespace rankscope::cli {

inline constexpr std::string_view kMarkingPage = "marking.html";

/// One file without a server: the answers to questions that are marked by hand, their rubrics, and the marks that there are.
/// `marks_text` is marks.toml as it is; what the page does not edit stays in it word for word.
std::string marking_page(const CourseGrader& grader, const std::vector<SubmissionHead>& heads,
                         const Marks& marks, std::string_view marks_text);

}  // namespace rankscope::cli
