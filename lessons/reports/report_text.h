// The words that all forms of a report share.
#pragma once

#include <string>

#include "lessons/reports/course_report.h"

namespace rankscope {

/// "Q2. Flat allreduce"
std::string title_of(const CourseEntry& entry);
inline std::string title_of(const ItemReport& item) { return title_of(*item.entry); }
/// "3 of 5 points", "not graded (10 points)", "to be marked by hand (4 points)", "not yet here (C9)".
std::string points_text(const ItemReport& item);
/// The lines of an item for a student: the answer as it was read, what is said of it, a TA's comment.
std::string feedback_text(const ItemReport& item);
/// The same without the answer.
std::string remarks_text(const ItemReport& item);
/// Points, what is open or not graded, and everything that is wrong with the file.
std::string summary_text(const StudentReport& report, const Course& course);
/// "37.5 of 50 points"
std::string score_text(double points, double most);

}  // namespace rankscope
