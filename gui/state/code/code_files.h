// Files of code exercises: the copy of the starter, and a folder's programs.
#pragma once

#include <filesystem>
#include <string>

#include "gui/state/code/code_state.h"
#include "lessons/lesson/coding.h"

namespace rankscope::gui {

/// Returns the name for a copy of the starter: the name that is handed in, in the starter's language.
std::string starter_name(const CodingExercise& exercise);
/// Returns where a starter goes: into a folder under that name, else to the file itself.
std::filesystem::path starter_target(const CodingExercise& exercise, const std::string& place);
/// Lists the folders, then the programs, by name, without hidden ones; `problem` says why there are none.
CodeBrowser browse_folder(const std::filesystem::path& folder);

}  // namespace rankscope::gui
