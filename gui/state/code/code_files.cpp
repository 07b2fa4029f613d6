// Lists folders, and finds where a starter is copied to.
#include "gui/state/code/code_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

namespace rankscope::gui {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostEntries = 500;

bool is_program(const fs::path& file) {
  constexpr std::array<std::string_view, 5> kEndings = {".py", ".cpp", ".cc", ".cxx", ".ipynb"};
  return std::ranges::find(kEndings, file.extension().string()) != kEndings.end();
}

}  // namespace

fs::path starter_target(const CodingExercise& exercise, const std::string& place) {
  std::error_code error;
  const fs::path path(place);
  return fs::is_directory(path, error) || place.ends_with('/') ? path / exercise.file : path;
}

CodeBrowser browse_folder(const fs::path& folder) {
  CodeBrowser browser;
  std::error_code error;
  browser.folder = fs::absolute(folder, error).lexically_normal().string();
  if (browser.folder.size() > 1 && browser.folder.ends_with('/')) browser.folder.pop_back();
  fs::directory_iterator at(browser.folder, fs::directory_options::skip_permission_denied, error);
  if (error) {
    browser.problem = fmt::format("{} cannot be read: {}", browser.folder, error.message());
    return browser;
  }
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(".")) continue;
    std::error_code ignored;
    const bool is_folder = at->is_directory(ignored);
    if (!is_folder && !is_program(at->path())) continue;
    browser.entries.push_back({name, is_folder});
    if (browser.entries.size() >= kMostEntries) break;
  }
  std::ranges::sort(browser.entries, {}, [](const auto& entry) {
    return std::tuple(!entry.folder, std::string_view(entry.name));
  });
  return browser;
}

}  // namespace rankscope::gui
