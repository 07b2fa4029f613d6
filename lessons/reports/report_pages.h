// A student's report as pages for print.
#pragma once

#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "lessons/reports/course_report.h"
#include "lessons/reports/report_pictures.h"

namespace rankscope {

/// A4, with the texts of report_html(); pictures that are wider than a page get one of their own at the end.
/// `pictures` may be null.
std::vector<Scene> report_pages(const StudentReport& report, const Course& course,
                                ReportPictures* pictures, const Ruler& ruler);

}  // namespace rankscope
