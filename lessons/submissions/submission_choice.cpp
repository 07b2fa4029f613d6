// Chooses a student's answer file and programs among the files that were submitted.
#include "lessons/submissions/submission_choice.h"

#include <algorithm>
#include <deque>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/submissions/submissions.h"
#include "lessons/text/foreign_text.h"

namespace rankscope {
namespace {

using Files = std::vector<const FoundFile*>;

auto depth(const FoundFile* file) { return ranges::count(file->path, '/'); }

template <class Fits>
Files those(const std::vector<FoundFile>& files, const Fits& fits) {
  Files out;
  for (const FoundFile& file : files)
    if (!file.folder && fits(file.path)) out.push_back(&file);
  ranges::stable_sort(out, {}, depth);
  return out;
}

/// The nearest to the top; what lies deeper becomes a remark.
Files nearest(const Files& files, SubmissionChoice& choice) {
  Files out;
  for (const FoundFile* file : files)
    if (depth(file) == depth(files.front())) out.push_back(file);
    else if (choice.remarks.empty())
      choice.remarks.push_back(fmt::format("{} is not read: {} is nearer to the top",
                                           escaped(file->path), escaped(files.front()->path)));
  return out;
}

void take(const Files& files, std::string_view what, std::string_view advice,
          SubmissionChoice& choice) {
  if (files.size() == 1) choice.file = files.front();
  else
    choice.fault = fmt::format("has {} {} ({}, {}); {}", files.size(), what,
                               escaped(files[0]->path), escaped(files[1]->path), advice);
}

void note_zips(const Files& zips, const FoundFile& other, SubmissionChoice& choice) {
  if (zips.empty()) return;
  choice.remarks.push_back(
      fmt::format("{} is not read: there is {}", escaped(zips.front()->path), escaped(other.path)));
}

}  // namespace

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool may_be_answers(std::string_view path) {
  const std::string name = ascii_lower(file_name(path));
  static constexpr std::string_view kOthers[] = {"marks.toml", "pyproject.toml", "package.json",
                                                 "settings.json", "launch.json"};
  return (name.ends_with(".toml") || name.ends_with(".json")) &&
         ranges::find(kOthers, name) == std::end(kOthers);
}

bool is_archive(std::string_view path) {
  static constexpr std::string_view kEndings[] = {".zip",     ".tar.gz", ".tgz",    ".tar",
                                                  ".tar.bz2", ".tar.xz", ".tar.zst"};
  const std::string name = ascii_lower(file_name(path));
  return ranges::any_of(kEndings, [&](auto ending) { return name.ends_with(ending); });
}

bool is_named(const std::set<std::string>& programs, std::string_view path) {
  return programs.contains(std::string(file_name(path))) ||
         (ascii_lower(file_name(path)).ends_with(".ipynb") && programs.contains("*.ipynb"));
}

bool is_sheet(std::string_view path) {
  return file_name(path) == "answers.toml" || file_name(path) == "answers.json";
}

bool is_answer_like(std::string_view path) {
  static constexpr std::string_view kEndings[] = {".md",  ".txt",  ".pdf",    ".docx",
                                                  ".odt", ".rtf",  ".tex",    ".png",
                                                  ".jpg", ".jpeg", ".drawio", ".svg"};
  static constexpr std::string_view kOthers[] = {"readme", "license", "requirements", "changelog",
                                                 "receipt"};
  static constexpr std::string_view kHandouts[] = {"/tests/", "/resources/", "/."};
  const std::string name = ascii_lower(file_name(path));
  const std::string below = "/" + ascii_lower(path);
  return ranges::any_of(kEndings, [&](auto ending) { return name.ends_with(ending); }) &&
         ranges::none_of(kOthers, [&](auto other) { return name.starts_with(other); }) &&
         ranges::none_of(kHandouts, [&](auto folder) { return below.find(folder) != below.npos; });
}

bool is_system_file(std::string_view path) {
  return path.starts_with("__MACOSX") || path.starts_with('.') ||
         path.find("/.") != std::string_view::npos || file_name(path) == "Thumbs.db";
}

bool is_own_results(const FoundFile& file) {
  if (file.file.empty() || file_name(file.path) != "results.json") return false;
  std::string fault;
  const std::string bytes = read_whole(file.file, kMostResults, fault, LinkRule::refuse);
  try {
    return fault.empty() && parse_shallow_json(bytes).at("extra_data").at("rankscope").is_object();
  } catch (const std::exception&) {
    return false;
  }
}

SubmissionChoice choose_submission(const std::vector<FoundFile>& files, bool all_seen) {
  SubmissionChoice out;
  constexpr std::string_view kKeepOne = "keep one, as answers.toml";
  const Files zips = those(files, is_archive);
  if (const Files sheets = those(files, is_sheet); !sheets.empty()) {
    take(nearest(sheets, out), "answer files", kKeepOne, out);
    note_zips(zips, *sheets.front(), out);
    return out;
  }
  if (!all_seen) {
    out.fault =
        fmt::format("has more than {} files, and no answers.toml among the first", files.size());
    return out;
  }
  Files others = those(files, may_be_answers);
  out.own_results =
      std::erase_if(others, [](const auto* file) { return is_own_results(*file); }) > 0;
  if (!others.empty()) {
    take(nearest(others, out), "answer files", kKeepOne, out);
    note_zips(zips, *others.front(), out);
  } else if (!zips.empty()) take(nearest(zips, out), "archives", "keep one", out);
  else {
    out.fault = "has no answers.toml or answers.json in it";
    if (const Files like = those(files, is_answer_like); !like.empty())
      out.fault += fmt::format(
          "; '{}'{} may hold answers, whose points are given by hand", escaped(like.front()->path),
          like.size() == 1 ? "" : fmt::format(" and {} more", like.size() - 1));
  }
  out.own_results = out.own_results && others.empty() && zips.empty();
  return out;
}

namespace {

namespace fs = std::filesystem;

constexpr int kMostFolderLevels = 6;  // of folders within a student's folder

/// Returns the length of "folder/" if everything is in this folder and it has no answer sheet; else 0.
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

/// Marks symbolic links as faults: they may lead to another student's answers, or in a circle.
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
                                                           std::vector<FoundFile>& top,
                                                           const std::set<std::string>& programs) {
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
    // A student's files are kept up to the number that is read, and one more to know that there are more.
    else if ((may_be_answers(file.path) || is_archive(file.path) ||
              is_named(programs, file.path)) &&
             folders[first].size() <= SubmissionList::kMostOfStudent)
      folders[first].push_back(std::move(file));
  }
  return folders;
}

}  // namespace rankscope
