// Checks the results folder before grading, and reads the gradebook rows that an earlier run left
// there.
#include "cli/grade/grade_folder.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 5;

/// "Anna, Ben, ..."
std::string few(std::vector<std::string> names) {
  const bool more = names.size() > kMostNamed;
  if (more) names.resize(kMostNamed);
  return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

/// Whether somebody has handed something in there; no results have such files.
bool looks_handed_in(const fs::path& folder) {
  std::error_code error;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    const fs::path name = it->path().filename(), ending = name.extension();
    if (name == "answers.toml" || name == "answers.json" || ending == ".py" || ending == ".cpp")
      return true;
  }
  return false;
}

// It would be left out, as the folder of the results is.
void check_not_handed_in(const fs::path& out, const fs::path& submissions) {
  std::error_code error;
  const fs::path within = fs::canonical(submissions, error);
  fs::path at = fs::weakly_canonical(out, error);
  const auto lies_in = [&] {
    return std::ranges::mismatch(within, at).in1 == within.end() && at != within;
  };
  for (; !error && lies_in(); at = at.parent_path())
    if (looks_handed_in(at))
      throw UserError(
          fmt::format("--out: {} is one of the submissions, and results would lie in it. Choose "
                      "another folder.",
                      escaped(at.string())));
}

}  // namespace

void check_out(const fs::path& out, const std::vector<std::string>& submissions) {
  std::error_code error;
  for (const std::string& path : submissions)
    if (fs::is_directory(path, error)) check_not_handed_in(out, path);
  if (!fs::exists(out, error)) return;
  for (const std::string& path : submissions) {
    if (!fs::is_directory(path, error)) continue;
    for (fs::path above = fs::canonical(path, error); !error; above = above.parent_path()) {
      if (fs::equivalent(above, out, error))
        throw UserError(fmt::format(
            "--out: {} {} the submissions {}, and results would lie between them. Choose another "
            "folder.",
            escaped(out.string()), above == fs::canonical(path, error) ? "is" : "has in it",
            escaped(path)));
      if (above == above.root_path()) break;
    }
  }
}

std::vector<TakenFolder> taken_folders(const std::vector<EarlierResults>& earlier) {
  std::vector<TakenFolder> out;
  for (const EarlierResults& one : earlier) out.push_back({one.folder, one.kept.row.submission});
  return out;
}

std::vector<GradebookRow> earlier_rows(const std::vector<EarlierResults>& earlier,
                                       const std::vector<SubmissionHead>& heads,
                                       const CourseGrader& grader,
                                       std::vector<std::string>& lines) {
  std::vector<GradebookRow> out;
  std::vector<std::string> names, others;
  std::set<std::string> in_batch;
  for (const SubmissionHead& head : heads) in_batch.insert(ascii_lower(head.id));
  for (const EarlierResults& one : earlier) {
    const auto same = [&](const SubmissionHead& head) {
      return same_submission(head.submission, one.kept.row.submission);
    };
    if (in_batch.contains(ascii_lower(one.folder))) continue;
    if (const auto now = ranges::find_if(heads, same); now != heads.end()) {
      lines.push_back(fmt::format(
          "{}: results of {}, which is now '{}'; not in the gradebook. Remove the folder.",
          one.folder, now->submission, now->id));
      continue;
    }
    const bool fits = one.kept.course == grader.course().slug &&
                      one.kept.row.cells.size() == grader.entries().size();
    (fits ? names : others).push_back(one.folder);
    if (!fits) continue;
    out.push_back(one.kept.row);
    out.back().id = one.folder;
  }
  if (!names.empty())
    lines.push_back(fmt::format("{} of earlier gradings {} in the gradebook as graded then: {}",
                                plural(names.size(), "student"), names.size() == 1 ? "is" : "are",
                                few(names)));
  if (!others.empty())
    lines.push_back(fmt::format("{} not in this gradebook, as the course was another: {}",
                                others.size() == 1
                                    ? "1 earlier folder is"
                                    : fmt::format("{} earlier folders are", others.size()),
                                few(others)));
  return out;
}

}  // namespace rankscope::cli
