// What a program imports and calls, by its text, against what its exercise allows. A text in Python is looked at in a
// box, by Python's own parser; nothing of it is run. Of a text in C++ the lines are read.
#pragma once

#include <filesystem>

#include "lessons/coding/boxes.h"
#include "lessons/grading/coding_grade.h"
#include "lessons/lesson/coding.h"

namespace rankscope {

/// Each fault is one sentence, on what is wrong and what to do; there is none at all of what the exercise has no
/// rule on. Throws UserError when no box can be had.
TextFaults python_text_faults(const CodingExercise& exercise, const CodeBoxesOptions& options);
TextFaults cpp_text_faults(const CodingExercise& exercise, const std::filesystem::path& file);

}  // namespace rankscope
