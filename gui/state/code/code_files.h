// Files of code exercises: a copy of the starter, and what a folder offers to choose from.
#pragma once

#include <filesystem>
#include <string>

#include "gui/state/code/code_state.h"
#include "lessons/lesson/coding.h"

namespace rankscope::gui {

/// What a copy of the starter is called: the name that is handed in, in the starter's language.
std::string starter_name(const CodingExercise& exercise);
/// Where a starter goes: into a folder under the name that is handed in, else the file itself.
std::filesystem::path starter_target(const CodingExercise& exercise, const std::string& place);
/// The folders, then the programs, by name; hidden ones are left out. Its problem says why there are none.
CodeBrowser browse_folder(const std::filesystem::path& folder);

}  // namespace rankscope::gui
