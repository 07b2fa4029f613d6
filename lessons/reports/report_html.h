// A student's report as one HTML file: no script, nothing from the network.
#pragma once

#include <string>
#include <string_view>

#include "lessons/reports/course_report.h"
#include "lessons/reports/report_pictures.h"

namespace rankscope {

/// If `pictures` is null, pictures and explanations are left out, and nothing in the report reveals a right answer.
std::string report_html(const StudentReport& report, const Course& course,
                        ReportPictures* pictures);

/// The page around a body, for reports and the class page.
std::string html_page(std::string_view title, std::string_view body);
/// Text with its line breaks, escaped.
std::string html_lines(std::string_view text);
/// A box with a list; empty without complaints.
std::string complaints_html(std::string_view title, const std::vector<std::string>& complaints);

/// "Q2. Flat allreduce"
std::string title_of(const CourseEntry& entry);
inline std::string title_of(const ItemReport& item) { return title_of(*item.entry); }
/// "3 of 5 points", "not graded (10 points)", "to be marked by hand (4 points)", "not yet here (C9)".
std::string points_text(const ItemReport& item);
/// The lines of an item for a student: the answer as it was read, the remarks, and what a program printed.
std::string feedback_text(const ItemReport& item);
/// The remarks alone: the result, the rubric's points, a TA's comment.
std::string remarks_text(const ItemReport& item);
/// Points, what is open or not graded, and everything that is wrong with the file.
std::string summary_text(const StudentReport& report, const Course& course);
/// "37.5 of 50 points"
std::string score_text(double points, double most);

}  // namespace rankscope
