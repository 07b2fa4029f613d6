// A student's report as one HTML file: no script, nothing from the network.
#pragma once

#include <string>
#include <string_view>

#include "lessons/reports/course_report.h"
#include "lessons/reports/report_pictures.h"

namespace rankscope {

/// `pictures` and explanations are left out when it is null: then nothing in the report tells a right
/// answer.
std::string report_html(const StudentReport& report, const Course& course,
                        ReportPictures* pictures);

/// The page around a body, for reports and the class page.
std::string html_page(std::string_view title, std::string_view body);
/// Text with its line breaks, escaped.
std::string html_lines(std::string_view text);

}  // namespace rankscope
