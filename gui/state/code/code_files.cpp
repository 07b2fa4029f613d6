// Lists folders, and finds where a starter is copied to.
#include "gui/state/code/code_files.h"

#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "gui/state/files/file_choice.h"
#include "lessons/course/read_lesson.h"
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

std::vector<StarterLanguage> starter_languages(const CodingExercise& exercise) {
  if (exercise.starter.empty()) return {};
  const StarterLanguage python{"Python", ".py"}, cpp{"C++", ".cpp"};
  if (is_cpp(exercise.starter)) return {cpp};
  if (exercise.repair) return {python};
  std::vector<StarterLanguage> out{python};
  if (cpp_contract(exercise)) out.push_back(cpp);
  out.push_back({"Notebook", ".ipynb"});
  return out;
}

std::string starter_text(const CodingExercise& exercise, const fs::path& folder,
                         const fs::path& file) {
  const std::string ending = file.extension().string();
  const auto languages = starter_languages(exercise);
  if (ranges::find(languages, ending, &StarterLanguage::ending) == languages.end()) {
    std::vector<std::string_view> endings;
    for (const StarterLanguage& one : languages) endings.push_back(one.ending);
    throw UserError(fmt::format("{} is begun in a file whose name ends in {}, not in {}",
                                exercise.title, fmt::join(endings, " or "), file.string()));
  }
  const std::string own = read_lesson_file(folder, exercise.starter);
  if (ending == ".cpp") return is_cpp(exercise.starter) ? own : cpp_starter(exercise);
  if (ending != ".ipynb") return own;
  using nlohmann::json;
  json lines = json::array();
  for (const std::string_view line : lines_of(own)) lines.push_back(std::string(line) + "\n");
  const json cell{{"cell_type", "code"},
                  {"execution_count", nullptr},
                  {"metadata", json::object()},
                  {"outputs", json::array()},
                  {"source", lines}};
  const json notebook{{"cells", json::array({cell})},
                      {"metadata", {{"language_info", {{"name", "python"}}}}},
                      {"nbformat", 4},
                      {"nbformat_minor", 4}};
  return dump_json(notebook, 1) + "\n";
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
