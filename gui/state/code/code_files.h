// Files of code exercises: the copy of the starter, a folder's programs, and the call of an editor.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/state/code/code_state.h"
#include "lessons/lesson/coding.h"

namespace rankscope::gui {

/// Returns the name for a copy of the starter: the name that is handed in, in the starter's language.
std::string starter_name(const CodingExercise& exercise);
/// A language in which an exercise can be begun.
struct StarterLanguage {
  std::string_view name;    ///< "Python"
  std::string_view ending;  ///< ".py"
};
/// Returns the languages that an exercise takes: Python, C++, a notebook; a program to repair has its own alone.
std::vector<StarterLanguage> starter_languages(const CodingExercise& exercise);
/// Returns the text to start from for a file of this name, whose ending says the language. `folder` is the lesson's. Throws
/// UserError for an ending that the exercise does not take.
std::string starter_text(const CodingExercise& exercise, const std::filesystem::path& folder,
                         const std::filesystem::path& file);
/// Returns where a starter goes: into a folder under that name, else to the file itself.
std::filesystem::path starter_target(const CodingExercise& exercise, const std::string& place);
/// Lists the folders, then the programs, by name, without hidden ones; `problem` says why there are none.
CodeBrowser browse_folder(const std::filesystem::path& folder);

/// Returns the program and its arguments from a template such as "code -g {file}:{line}". Throws UserError for one without {file}.
std::vector<std::string> editor_call(const std::string& pattern, const std::string& file,
                                     unsigned line);
/// Returns $VISUAL, else the first installed editor with a window of its own, or empty. `has` says whether a program is on
/// PATH.
std::string usual_editor(const std::function<bool(const std::string&)>& has);
bool is_on_path(const std::string& program);
/// Starts the editor without waiting for it. Throws UserError if it cannot be started.
void start_editor(const std::vector<std::string>& call);

}  // namespace rankscope::gui
