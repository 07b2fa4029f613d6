// Makes an editor's call of a template, and starts it.
#include "gui/state/code/editor_call.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/program_search.h"
#include "engine/core/base/text.h"
#include "gui/state/command/command.h"

namespace rankscope::gui {
namespace {

constexpr std::array<std::string_view, 10> kEditors = {
    "code -g {file}:{line}",        "codium -g {file}:{line}", "zed {file}:{line}",
    "subl {file}:{line}",           "kate -l {line} {file}",   "gnome-text-editor {file}",
    "gedit +{line} {file}",         "gvim +{line} {file}",     "emacs +{line} {file}",
    "mousepad --line={line} {file}"};

}  // namespace

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
