// Lists and sorts the files of a folder or zip file.
#include "lessons/submissions/found_files.h"

#include <algorithm>
#include <deque>
#include <system_error>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "lessons/submissions/submissions.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr int kMostFolderLevels = 6;  // of folders within a student's folder

/// The letters of "folder/", when all is in it and it is nobody's submission; else 0.
std::size_t common_folder(const std::vector<ZipEntry>& entries) {
  if (entries.empty()) return 0;
  const auto slash = entries.back().path.find('/');
  if (slash == std::string::npos) return 0;
  const std::string folder = entries.back().path.substr(0, slash + 1);
  const auto inside = [&](const ZipEntry& one) {
    return (one.folder && one.path + "/" == folder) || one.path.starts_with(folder);
  };
  const auto own_sheet = [&](const ZipEntry& one) {
    return is_sheet(one.path) && one.path.rfind('/') == slash;
  };
  return ranges::all_of(entries, inside) && ranges::none_of(entries, own_sheet) ? folder.size() : 0;
}

/// Never into a symbolic link: it may lead to another student's answers, or in a circle.
FoundFile found(const fs::path& path) {
  FoundFile out{path.filename().string(), false, path, 0, ""};
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  out.folder = fs::is_directory(status);
  if (fs::is_symlink(status)) out.fault = "is a symbolic link; links are not followed";
  else if (!out.folder && !fs::is_regular_file(status)) out.fault = "is not a regular file";
  return out;
}

}  // namespace

bool list_folder(const fs::path& folder, const fs::path& skip, std::size_t most,
                 std::vector<FoundFile>& into, Complaints& complaints) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (const char* sheet : {"answers.toml", "answers.json"})
    if (fs::exists(fs::symlink_status(folder / sheet, error))) paths.push_back(folder / sheet);
  bool all = true;
  error.clear();
  auto it = fs::directory_iterator(folder, error);
  for (; all && !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (is_sheet(name) || is_system_file(name)) continue;
    all = paths.size() < most;
    if (all) paths.push_back(it->path());
  }
  if (error)
    complaints.add(escaped(folder.string()), 0, fmt::format("cannot be read: {}", error.message()));
  ranges::sort(paths);
  for (const fs::path& path : paths) {
    FoundFile one = found(path);
    if (one.folder && !skip.empty() && fs::equivalent(path, skip, error)) continue;
    into.push_back(std::move(one));
  }
  return all;
}

bool list_student(const fs::path& folder, const fs::path& skip, std::vector<FoundFile>& into,
                  Complaints& complaints) {
  struct PendingFolder {
    fs::path folder;
    std::string below;
    int level;
  };
  std::deque<PendingFolder> pending{{folder, "", 0}};
  while (!pending.empty()) {
    const PendingFolder now = std::move(pending.front());
    pending.pop_front();
    const std::size_t first = into.size();
    const std::size_t most = SubmissionList::kMostOfStudent;
    const bool all = list_folder(now.folder, skip, most - std::min(first, most), into, complaints);
    for (std::size_t i = first; i < into.size(); ++i) into[i].path.insert(0, now.below);
    if (!all) return false;
    for (std::size_t i = first; now.level < kMostFolderLevels && i < into.size(); ++i)
      if (into[i].folder) pending.push_back({into[i].file, into[i].path + "/", now.level + 1});
  }
  return true;
}

std::map<std::string, std::vector<FoundFile>> sort_entries(std::vector<ZipEntry> entries,
                                                           std::vector<FoundFile>& top) {
  std::map<std::string, std::vector<FoundFile>> folders;
  std::erase_if(entries, [](const ZipEntry& one) { return is_system_file(one.path); });
  ranges::stable_sort(entries, {}, &ZipEntry::path);
  while (const std::size_t cut = common_folder(entries)) {
    std::erase_if(entries, [&](const ZipEntry& one) { return one.path.size() <= cut; });
    for (ZipEntry& one : entries) one.path.erase(0, cut);
  }
  for (ZipEntry& one : entries) {
    const auto slash = one.path.find('/');
    const std::string first = one.path.substr(0, slash);
    const bool inside = slash != std::string::npos;
    if ((inside || one.folder) && !folders.contains(first)) {
      folders[first];
      top.push_back({first, true, {}, 0, ""});
    }
    if (one.folder) continue;
    FoundFile file{
        one.path.substr(inside ? slash + 1 : 0), false, {}, one.index, std::move(one.fault)};
    if (!inside) top.push_back(std::move(file));
    // Of one student no more is kept than is read, and one more, to know it.
    else if ((may_be_answers(file.path) || is_zip(file.path)) &&
             folders[first].size() <= SubmissionList::kMostOfStudent)
      folders[first].push_back(std::move(file));
  }
  return folders;
}

}  // namespace rankscope
