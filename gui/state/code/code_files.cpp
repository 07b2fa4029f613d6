// Lists folders, and finds where a starter is copied to.
#include "gui/state/code/code_files.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/subprocess.h"
#include "engine/core/base/text.h"
#include "gui/state/command/command.h"
#include "gui/state/files/file_choice.h"
#include "lessons/course/read_lesson.h"

namespace rankscope::gui {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostEntries = 500;

constexpr std::array<std::string_view, 10> kEditors = {
    "code -g {file}:{line}",        "codium -g {file}:{line}", "zed {file}:{line}",
    "subl {file}:{line}",           "kate -l {line} {file}",   "gnome-text-editor {file}",
    "gedit +{line} {file}",         "gvim +{line} {file}",     "emacs +{line} {file}",
    "mousepad --line={line} {file}"};

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

std::vector<std::string> editor_call(const std::string& pattern, const std::string& file,
                                     unsigned line) {
  if (pattern.find("{file}") == std::string::npos)
    throw UserError(
        fmt::format("the editor's command \"{}\" has no {{file}} in it: write it as in "
                    "`editor-command \"code -g {{file}}:{{line}}\"`",
                    pattern));
  std::vector<std::string> words = parse_words(pattern);
  for (std::string& word : words) {
    replace_all(word, "{line}", fmt::format("{}", line));
    replace_all(word, "{file}", file);
  }
  return words;
}

bool is_on_path(const std::string& program) { return program_on_path(program).has_value(); }

std::string usual_editor(const std::function<bool(const std::string&)>& has) {
  if (const char* const visual = std::getenv("VISUAL"); visual != nullptr && *visual != 0) {
    const std::string wanted(visual);
    for (const std::string_view one : kEditors)  // its way to open a line is known
      if (one.substr(0, one.find(' ')) == wanted) return std::string(one);
    return wanted + (wanted.find("{file}") == std::string::npos ? " {file}" : "");
  }
  for (const std::string_view one : kEditors)
    if (has(std::string(one.substr(0, one.find(' '))))) return std::string(one);
  return {};
}

void start_editor(const std::vector<std::string>& call) {
  if (!is_on_path(call.front()))
    throw UserError(
        fmt::format("there is no program {}: `editor-command` sets another one", call.front()));
  // The shell ends at once, so that the editor is no child of this window and outlives it.
  std::vector<std::string> words{"/bin/sh", "-c", "setsid \"$@\" </dev/null >/dev/null 2>&1 &",
                                 "sh"};
  words.insert(words.end(), call.begin(), call.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t shell = 0;
  const int failed = ::posix_spawn(&shell, "/bin/sh", nullptr, nullptr, arguments.data(), environ);
  if (failed != 0)
    throw UserError(fmt::format("{} cannot be started: is /bin/sh there?", call.front()));
  int status = 0;
  while (::waitpid(shell, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace rankscope::gui
