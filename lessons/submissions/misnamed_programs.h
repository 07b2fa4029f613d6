// Programs that were handed in under another name than the exercise asks for.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "engine/core/base/scratch_folder.h"
#include "lessons/lesson/coding.h"

namespace rankscope {

/// Where a student's programs are.
struct ProgramPlace {
  std::filesystem::path folder;  ///< Empty if there are none.
  std::string file;  ///< The name that marks.toml accepts for this exercise; may be empty.
};

/// The file beside the answers that is meant, perhaps: another spelling of the name ("Hello.PY", "hello (1).py"), or one
/// that has the function. Empty: there is none, or several. `names`: those that are asked for by some exercise.
std::string misnamed_program(const CodingExercise& exercise, const std::filesystem::path& folder,
                             const std::set<std::string>& names);

/// A copy of the folder in which the accepted file has the name that the exercise asks for; nothing: none is accepted, or
/// it is not there. Throws UserError for a folder that a box would refuse, too.
std::optional<ScratchFolder> renamed_program(const CodingExercise& exercise,
                                             const ProgramPlace& place);

}  // namespace rankscope
