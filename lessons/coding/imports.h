// What a program imports, against what its exercise allows. A text in Python is looked at in a box, by Python's own
// parser; nothing of it is run. Of a text in C++ the lines with #include are read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lessons/coding.h"
#include "lessons/coding/boxes.h"

namespace rankscope {

/// What is wrong with the headers that a program in C++ includes; the same forms.
std::optional<std::string> include_fault(const CodingExercise& exercise,
                                         const std::filesystem::path& file);
/// What is wrong and what to do, one sentence; empty: nothing. Nothing at all: the exercise has no such rule. Throws
/// UserError when no box can be had.
std::optional<std::string> import_fault(const CodingExercise& exercise,
                                        const CodeBoxesOptions& options);

}  // namespace rankscope
