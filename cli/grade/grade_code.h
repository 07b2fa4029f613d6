// Grades a course's code exercises: runs each program in boxes, as many at a time as the caller has threads.
#pragma once

#include <filesystem>
#include <string>

#include "lessons/reports/course_report.h"

namespace rankscope::cli {

struct GradeCodeOptions {
  bool no_sandbox = false;
  bool or_other_user =
      false;  ///< If no boxes can be made, runs programs as another user (HandInRules::without_boxes).
  int interrupt_fd = -1;
  double smallest_s = 0;  ///< Per program, for finding its smallest failing run; 0 for no search.
  std::filesystem::path keep;  ///< Folder for the runs: keep/STUDENT/EXERCISE; empty if none.
};

/// Throws UserError when boxes cannot be made here and neither the user nor the course says to do without. `remark` gets what
/// each report should say of how its programs ran.
GradeCode code_grader(const GradeCodeOptions& options, std::string& remark);

/// Judges the runs that code_grader() kept in this folder, and runs nothing.
GradeCode code_judge(const std::filesystem::path& kept);

/// A hash of this program's file: a version number does not tell two builds apart.
std::string program_hash();

/// Names all that programs run with: this program and its files, the interpreter, its libraries, the compiler, boxes or
/// none. Empty if the interpreter does not say.
std::string code_tools(const GradeCodeOptions& options, const std::string& program);

}  // namespace rankscope::cli
