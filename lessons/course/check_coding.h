// Checks a coding exercise that was read from its table.
#pragma once

#include <filesystem>
#include <string>

#include "engine/toml/complaints.h"
#include "lessons/lesson/coding.h"

namespace rankscope {

/// Complains about formulas that fail for a world or shape, points that do not add up, a harness that lacks what it needs,
/// a starter without the function and, in lessons from edition 2 on, a missing defining rule.
void check_coding(const CodingExercise& exercise, const std::filesystem::path& folder,
                  const std::string& file, Complaints& complaints, int edition = 2);

}  // namespace rankscope
