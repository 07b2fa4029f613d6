// Checks what a program's text imports and calls against what its exercise allows. Python's own parser reads a text in
// Python, in a box, without running it; a text in C++ is read line by line.
#pragma once

#include <filesystem>

#include "lessons/coding/boxes.h"
#include "lessons/grading/coding_grade.h"
#include "lessons/lesson/coding.h"

namespace rankscope {

/// Each fault is one sentence on what is wrong and what to do. Without a rule of the exercise there is no value. Throws
/// UserError when no box can be had.
TextFaults python_text_faults(const CodingExercise& exercise, const CodeBoxesOptions& options);
TextFaults cpp_text_faults(const CodingExercise& exercise, const std::filesystem::path& file);

}  // namespace rankscope
