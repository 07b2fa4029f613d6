// Reads each submission's head and finds names that several share.
#include "lessons/submissions/submission_heads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "lessons/kinds/kind.h"

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

/// Heads by the folder that they would like to have.
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

}  // namespace rankscope
