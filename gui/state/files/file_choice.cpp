// Lists folders and kinds of files, and completes what is typed.
#include "gui/state/files/file_choice.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/export/file_formats.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home == nullptr ? std::string() : std::string(home);
}

std::int64_t changed_at(const fs::directory_entry& entry) {
  std::error_code error;
  const auto time = entry.last_write_time(error);
  if (error) return 0;
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::file_clock::to_sys(time).time_since_epoch())
      .count();
}

}  // namespace

bool FileKind::takes(std::string_view file) const {
  const std::string name = ascii_lower(file);
  return endings.empty() ||
         ranges::any_of(endings, [&](const std::string& ending) { return name.ends_with(ending); });
}

const FileKind& program_kind() {
  static const FileKind kPrograms{"Programs", {".py", ".cpp", ".cc", ".cxx", ".ipynb", ".zip"}};
  return kPrograms;
}

std::vector<FileKind> file_kinds(NameBox::Files use) {
  using Files = NameBox::Files;
  const FileKind traces{"Traces (.rankscope)", {".rankscope"}},
      scripts{"Scripts (.rankscript)", {".rankscript"}},
      lectures{"Lectures (.lecture.toml)", {".lecture.toml"}},
      topologies{"Topologies (.toml)", {".toml"}},
      tables{"Tables of moves (.schedule)", {".schedule", ".txt"}}, msccl{"MSCCL (.xml)", {".xml"}},
      goal{"GOAL (.goal)", {".goal"}}, all{"All files", {}};
  switch (use) {
    case Files::open_any: {
      FileKind any{"Traces, lectures, lessons, programs", {".rankscope", ".rankscript", ".toml"}};
      const auto& programs = program_kind().endings;
      any.endings.insert(any.endings.end(), programs.begin(), programs.end());
      return {any, traces, lectures, scripts, all};
    }
    case Files::open_program: return {program_kind(), all};
    case Files::open_trace: return {traces, all};
    case Files::save_trace: return {traces};
    case Files::open_script: return {scripts, all};
    case Files::save_script: return {scripts};
    case Files::save_lecture: return {lectures};
    case Files::open_topology: return {topologies, all};
    case Files::save_topology: return {topologies};
    case Files::open_schedule: return {tables, msccl, goal, all};
    case Files::save_schedule: return {tables, msccl, goal};
    case Files::open_plugin: return {{"Plug-ins (.so)", {".so"}}, all};
    case Files::save_picture:
    case Files::none: break;
  }
  std::vector<FileKind> kinds;
  for (const FileFormat& format : file_formats())
    kinds.push_back({fmt::format("{} ({})", ascii_upper(format.name), format.ending),
                     {std::string(format.ending)}});
  return kinds;
}

std::vector<FilePlace> file_places(const Settings& settings) {
  std::vector<FilePlace> all;
  const auto add = [&](std::string name, const fs::path& folder) {
    std::error_code error;
    const std::string path = folder.lexically_normal().string();
    if (path.empty() || !fs::is_directory(folder, error)) return;
    if (ranges::find(all, path, &FilePlace::folder) == all.end())
      all.push_back({std::move(name), path});
  };
  const fs::path home = home_folder();
  std::error_code error;
  if (!home.empty()) add("Home", home);
  const fs::path here = fs::current_path(error);
  if (!error) add(here.filename().string(), here);
  if (!home.empty())
    for (const char* one : {"Desktop", "Documents", "Downloads"}) add(one, home / one);
  for (const std::string& file : settings.recent)
    if (all.size() < 10)
      add(fs::path(file).parent_path().filename().string(), fs::path(file).parent_path());
  return all;
}

FileList files_in(const std::string& folder, const FileKind& kind) {
  FileList list;
  std::error_code error;
  fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  if (error) {
    list.trouble = fmt::format("{} cannot be read: {}", folder, error.message());
    return list;
  }
  for (; at != fs::directory_iterator(); at.increment(error)) {
    if (error) break;
    FileRow row;
    row.name = at->path().filename().string();
    if (row.name.starts_with('.')) continue;
    std::error_code ignored;
    row.is_folder = at->is_directory(ignored);
    if (!row.is_folder && (!at->is_regular_file(ignored) || !kind.takes(row.name))) continue;
    if (list.rows.size() >= FileList::kMost) {
      ++list.left_out;
      continue;
    }
    if (!row.is_folder) row.bytes = at->file_size(ignored);
    row.changed = changed_at(*at);
    list.rows.push_back(std::move(row));
  }
  ranges::sort(list.rows, [](const FileRow& a, const FileRow& b) {
    if (a.is_folder != b.is_folder) return a.is_folder;
    const std::string one = ascii_lower(a.name), other = ascii_lower(b.name);
    return one != other ? one < other : a.name < b.name;
  });
  return list;
}

std::string path_typed(const std::string& folder, const std::string& typed) {
  fs::path path = typed;
  if (typed == "~" || typed.starts_with("~/"))
    path = fs::path(home_folder()) / (typed.size() > 2 ? typed.substr(2) : "");
  else if (path.is_relative() && !folder.empty()) path = fs::path(folder) / path;
  return path.lexically_normal().string();
}

TypedPath typed_parts(const std::string& folder, const std::string& typed) {
  const auto slash = typed.rfind('/');
  if (slash == std::string::npos) return {folder, typed};
  return {path_typed(folder, typed.substr(0, slash + 1)), typed.substr(slash + 1)};
}

std::vector<FileRow> rows_that_begin(const FileList& list, const std::string& name) {
  std::vector<FileRow> found;
  const std::string wanted = ascii_lower(name);
  std::ranges::copy_if(list.rows, std::back_inserter(found), [&](const FileRow& row) {
    return ascii_lower(row.name).starts_with(wanted);
  });
  return found;
}

std::string shared_beginning(const std::vector<FileRow>& rows) {
  if (rows.empty()) return {};
  std::string shared = rows.front().name;
  for (const FileRow& row : rows) {
    const auto [end, other] = std::ranges::mismatch(shared, row.name);
    shared.erase(end, shared.end());
  }
  // Does not end in the middle of a letter.
  while (!shared.empty() && rows.size() > 1 && (shared.back() & 0x80) != 0) shared.pop_back();
  if (rows.size() == 1 && rows.front().is_folder) shared += '/';
  return shared;
}

std::string with_ending(std::string path, const FileKind& kind) {
  if (!path.empty() && !kind.endings.empty() && fs::path(path).extension().empty())
    path += kind.endings.front();
  return path;
}

std::string changed_text(std::int64_t changed, std::int64_t now) {
  if (changed <= 0) return {};
  const std::time_t then = changed, today = now;
  const std::tm when = fmt::localtime(then), day = fmt::localtime(today);
  if (when.tm_year == day.tm_year && when.tm_yday == day.tm_yday)
    return fmt::format("today {:%H:%M}", when);
  return fmt::format("{} {:%b %Y}", when.tm_mday, when);
}

}  // namespace rankscope::gui
