// What a program in Python imports, against what its exercise allows. Its text is looked at in a box, by Python's own
// parser; nothing of it is run.
#pragma once

#include <optional>
#include <string>

#include "lessons/coding.h"
#include "lessons/coding/boxes.h"

namespace rankscope {

/// What is wrong and what to do, one sentence; empty: nothing. Nothing at all: the exercise has no such rule. Throws
/// UserError when no box can be had.
std::optional<std::string> import_fault(const CodingExercise& exercise,
                                        const CodeBoxesOptions& options);

}  // namespace rankscope
