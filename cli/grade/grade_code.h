// Code exercises of a course: each program in boxes, one after another.
#pragma once

#include "lessons/reports/course_report.h"

namespace rankscope::cli {

struct GradeCodeOptions {
  bool no_sandbox = false;
  int interrupt_fd = -1;
};

/// Throws UserError when boxes cannot be made here and the user did not say to do without.
GradeCode code_grader(const GradeCodeOptions& options);

}  // namespace rankscope::cli
