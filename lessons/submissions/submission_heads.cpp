// Reads each submission's head and finds names that several share.
#include "lessons/submissions/submission_heads.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/kinds/kind.h"
#include "lessons/text/encodings.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostStudent = 200;
constexpr std::size_t kMostNamed = 3;  // submissions that a line names

SubmissionHead head_of(Submission submission) {
  SubmissionHead out;
  const std::string bytes = bytes_of(submission, out.fault);
  out.bytes_hash = hash_text(bytes);
  if (submission.file.stem() == "answers" || submission.only_programs)
    out.folder = submission.file.parent_path();
  for (std::size_t i = 0; i < submission.levels; ++i) out.folder = out.folder.parent_path();
  out.programs = submission.programs;
  if (out.fault.empty() && !submission.only_programs) {
    auto answers = std::make_shared<AnswerFile>(read_answers(bytes, submission.name));
    out.fault = answers->fault;
    out.student = printable(answers->student);
    if (out.fault.empty()) out.answers = std::move(answers);
  }
  if (out.student.find_first_not_of(' ') == std::string::npos)
    out.student = printable(submission.stem);
  out.student = shortened(out.student, kMostStudent);
  out.submission = std::move(submission.name);
  out.stem = std::move(submission.stem);
  out.complaints = std::move(submission.remarks);
  return out;
}

std::vector<NamedSubmission> named(const std::vector<SubmissionHead>& heads) {
  std::vector<NamedSubmission> out;
  for (const SubmissionHead& head : heads)
    out.push_back({head.student, head.stem, head.submission});
  return out;
}

/// Returns the heads' indices by their students' folder name, in lower case.
std::map<std::string, std::vector<std::size_t>> by_name(const std::vector<SubmissionHead>& heads) {
  std::map<std::string, std::vector<std::size_t>> out;
  for (std::size_t i = 0; i < heads.size(); ++i)
    out[ascii_lower(safe_name(heads[i].student))].push_back(i);
  return out;
}

}  // namespace

std::vector<SubmissionHead> read_heads(std::vector<Submission> submissions,
                                       const std::function<bool(std::size_t)>& go_on) {
  std::vector<SubmissionHead> out;
  out.reserve(submissions.size());
  for (Submission& submission : submissions) {
    if (go_on && !go_on(out.size())) break;
    out.push_back(head_of(std::move(submission)));
  }
  return out;
}

void name_heads(std::vector<SubmissionHead>& heads, std::span<const TakenFolder> taken) {
  const std::vector<std::string> ids = folder_names(named(heads), taken);
  for (std::size_t i = 0; i < heads.size(); ++i) heads[i].id = ids[i];
  for (const auto& [name, members] : by_name(heads)) {
    if (members.size() == 1) {
      SubmissionHead& head = heads[members.front()];
      const std::string wanted = safe_name(head.student);
      const auto other = ranges::find_if(taken, [&](const TakenFolder& one) {
        return ascii_lower(one.folder) == name && !same_submission(one.submission, head.submission);
      });
      if (head.id != wanted && other != taken.end())
        head.complaints.push_back(fmt::format(
            "the folder '{0}' has the results of {1}; this one, {2}, is reported as '{3}'. If it "
            "replaces that one, remove the folder '{0}' and grade again.",
            other->folder, other->submission, head.submission, head.id));
      continue;
    }
    std::vector<std::string> all;
    for (const std::size_t i : members) all.push_back(heads[i].submission);
    ranges::sort(all);
    if (all.size() > kMostNamed) all.resize(kMostNamed);
    for (const std::size_t i : members)
      heads[i].complaints.push_back(fmt::format(
          "{} submissions are from '{}' ({}{}); {} is reported as '{}'. Ask which one counts.",
          members.size(), heads[i].student, fmt::join(all, ", "),
          members.size() > all.size() ? ", ..." : "", heads[i].submission, heads[i].id));
  }
}

std::map<std::string, std::vector<std::string>> shared_names(
    const std::vector<SubmissionHead>& heads) {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [name, members] : by_name(heads)) {
    if (members.size() == 1) continue;
    std::vector<std::string> ids;
    for (const std::size_t i : members) ids.push_back(heads[i].id);
    ranges::sort(ids);
    for (const std::size_t i : members) out[safe_name(heads[i].student)] = ids;
  }
  return out;
}

namespace {

constexpr std::size_t kMostFolderName = 80;
constexpr std::size_t kMostStem = 40;
constexpr int kNumbered = 3;  // only a number at the end tells them apart

/// Returns a submission's name: at level 0 the student's, at 1 with the file's, above with a hash of its path.
std::string name_of(const NamedSubmission& one, int level) {
  if (level == 0) return safe_name(one.student, kMostFolderName);
  std::string suffix = safe_name(one.stem, kMostStem);
  if (level > 1) suffix += ", " + hash_text(one.submission).substr(0, 6);
  suffix = fmt::format(" ({})", suffix);
  return safe_name(one.student, kMostFolderName - suffix.size()) + suffix;
}

}  // namespace

std::string safe_name(std::string_view student, std::size_t most) {
  std::string out;
  const std::string text = printable(student.substr(0, 4 * most));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    static constexpr std::u32string_view kSeparators = U"/\\:*?\"<>|";
    const bool hidden = (character >= 0x200B && character <= 0x200F) ||
                        (character >= 0x2028 && character <= 0x202E) ||
                        (character >= 0x2066 && character <= 0x2069) || character == 0xFEFF;
    if (hidden) continue;  // directions and widths: two names would look alike
    if (out.size() + at - begin > most) break;
    if (kSeparators.find(character) != std::u32string_view::npos) out += '-';
    else out += text.substr(begin, at - begin);
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == '.')) out.pop_back();
  const auto first = out.find_first_not_of(' ');
  out.erase(0, first == std::string::npos ? out.size() : first);
  if (out.empty()) return "student";
  // Hidden files, options, formulas of a spreadsheet.
  if (std::string_view(".-=+@~").find(out.front()) != std::string_view::npos) out.insert(0, "_");
  if (out == "gradebook.csv" || out == "class.html" || out == "marking.html" ||
      out == "marks.toml" || out.starts_with("gradebook-") || out == "statistics.html" ||
      out == "statistics.csv")
    out += "_";
  return out;
}

bool same_submission(std::string_view a, std::string_view b) {
  const std::string one = std::filesystem::path(a).lexically_normal().string();
  const std::string other = std::filesystem::path(b).lexically_normal().string();
  return one == other || one.ends_with("/" + other) || other.ends_with("/" + one);
}

std::vector<std::string> folder_names(std::span<const NamedSubmission> all,
                                      std::span<const TakenFolder> taken) {
  std::map<std::string, std::string> holder;  // submission by folder, in lower case
  for (const TakenFolder& one : taken) holder[ascii_lower(one.folder)] = one.submission;
  std::vector<int> levels(all.size(), 0);
  std::vector<std::string> out(all.size());
  for (bool changed = true; changed;) {
    changed = false;
    std::map<std::string, std::vector<std::size_t>> by_name;
    for (std::size_t i = 0; i < all.size(); ++i) {
      out[i] = name_of(all[i], levels[i]);
      by_name[ascii_lower(out[i])].push_back(i);
    }
    for (const auto& [name, members] : by_name) {
      const auto held = holder.find(name);
      for (const std::size_t i : members) {
        const bool others =
            held != holder.end() && !same_submission(held->second, all[i].submission);
        if ((members.size() == 1 && !others) || levels[i] == kNumbered) continue;
        ++levels[i];
        changed = true;
      }
    }
  }
  // Numbers the names that are still alike: the same file was passed twice.
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string base = out[i];
    for (int number = 2; !names.insert(ascii_lower(out[i])).second; ++number)
      out[i] = fmt::format("{}-{}", base, number);
  }
  return out;
}

}  // namespace rankscope
