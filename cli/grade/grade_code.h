// Code exercises of a course: each program in boxes, as many at a time as the caller has threads.
#pragma once

#include <string>

#include "lessons/reports/course_report.h"

namespace rankscope::cli {

struct GradeCodeOptions {
  bool no_sandbox = false;
  int interrupt_fd = -1;
  double smallest_s =
      0;  ///< To look for the smallest run that fails, of each program; 0: it is not looked for.
};

/// Throws UserError when boxes cannot be made here and the user did not say to do without.
GradeCode code_grader(const GradeCodeOptions& options);

/// With what they run: this program and its files, the interpreter, its libraries, the compiler, boxes or none. Empty: the
/// interpreter does not say.
std::string code_tools(const GradeCodeOptions& options, const std::string& program);

}  // namespace rankscope::cli
