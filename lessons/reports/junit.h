// Results as JUnit XML, which most build servers and many graders read.
#pragma once

#include <string>

#include "lessons/reports/course_report.h"

namespace rankscope {

/// A suite for each part, a case for each item; what is not graded is skipped. Points are properties:
/// JUnit has no partial marks.
std::string junit_xml(const StudentReport& report, const Course& course);

}  // namespace rankscope
