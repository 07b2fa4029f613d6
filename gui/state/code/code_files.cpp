// Lists folders, and finds where a starter is copied to.
#include "gui/state/code/code_files.h"

#include <system_error>

#include "gui/state/files/file_choice.h"
#include "lessons/lesson/coding_cpp.h"

namespace rankscope::gui {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostEntries = 500;

}  // namespace

std::string starter_name(const CodingExercise& exercise) {
  const auto cpp = cpp_contract(exercise);
  return is_cpp(exercise.starter) && cpp ? cpp->file : exercise.file;
}

fs::path starter_target(const CodingExercise& exercise, const std::string& place) {
  std::error_code error;
  const fs::path path(place);
  return fs::is_directory(path, error) || place.ends_with('/') ? path / starter_name(exercise)
                                                               : path;
}

CodeBrowser browse_folder(const fs::path& folder) {
  CodeBrowser browser;
  std::error_code error;
  browser.folder = fs::absolute(folder, error).lexically_normal().string();
  if (browser.folder.size() > 1 && browser.folder.ends_with('/')) browser.folder.pop_back();
  const FileList list = files_in(browser.folder, program_kind());
  browser.problem = list.trouble;
  for (const FileRow& row : list.rows)
    if (browser.entries.size() < kMostEntries) browser.entries.push_back({row.name, row.is_folder});
  return browser;
}

}  // namespace rankscope::gui
