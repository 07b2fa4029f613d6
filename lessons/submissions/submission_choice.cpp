// Chooses a student's answer file and programs among the files that were submitted.
#include "lessons/submissions/submission_choice.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "engine/core/base/whole_file.h"
#include "lessons/grading/shallow_json.h"

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
  return (name.ends_with(".toml") || name.ends_with(".json")) && name != "marks.toml";
}

bool is_zip(std::string_view path) { return ascii_lower(file_name(path)).ends_with(".zip"); }

bool is_sheet(std::string_view path) {
  return file_name(path) == "answers.toml" || file_name(path) == "answers.json";
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
  const Files zips = those(files, is_zip);
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
  } else if (!zips.empty()) take(nearest(zips, out), "zip files", "keep one", out);
  else out.fault = "has no answers.toml or answers.json in it";
  out.own_results = out.own_results && others.empty() && zips.empty();
  return out;
}

}  // namespace rankscope
