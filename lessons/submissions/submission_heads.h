// Submissions as they are known before they are graded: read and parsed once, so that what is hashed is
// what is graded.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/random.h"
#include "lessons/grading/answer_file.h"
#include "lessons/submissions/submissions.h"

namespace rankscope {

/// Safe as a folder's name on any system: printable, no separators, at most `most` bytes.
std::string safe_name(std::string_view student, std::size_t most = 80);

/// A submission with its student's name.
struct NamedSubmission {
  std::string student;
  std::string stem;        ///< The file's name without its ending.
  std::string submission;  ///< Its path, as messages call it.
};

/// A folder with the results of an earlier grading.
struct TakenFolder {
  std::string folder, submission;
};

/// The same file, perhaps named from another folder: "./subs/a.toml", "subs/a.toml", "a.toml".
bool same_submission(std::string_view a, std::string_view b);

/// A name for each, no two alike (not even by case), which follows from the submission and not from its
/// place among the others: "Anna", and "Anna (a)" and "Anna (c)" for two of this name, or where "Anna"
/// has the results of another submission. In the same order.
std::vector<std::string> folder_names(std::span<const NamedSubmission> all,
                                      std::span<const TakenFolder> taken);

struct SubmissionHead {
  std::string submission, stem;  ///< See Submission.
  std::string student;
  std::string real_student =
      {};  ///< The real name if `student` is a pseudonym for anonymous marking; else empty.
  std::optional<std::chrono::sys_seconds> handed_in = {};  ///< Unset if unknown.
  std::string id;  ///< The folder's name; name_heads() sets it.
  std::string bytes_hash;
  std::filesystem::path folder;  ///< Where its programs are; empty if it has no own folder.
  ZippedPrograms programs;       ///< Their place in a zip file, if one was handed in.
  std::shared_ptr<const AnswerFile>
      answers;                          ///< Null with a fault, or if only programs were handed in.
  std::string fault;                    ///< Why nothing of it could be read.
  std::vector<std::string> complaints;  ///< "3 submissions are from ..."
};

/// Reads submissions in the same order until `go_on`, called before each with the number done, returns false.
std::vector<SubmissionHead> read_heads(std::vector<Submission> submissions,
                                       const std::function<bool(std::size_t done)>& go_on = {});

/// Gives them their folders; a name that several share, or that is there already, is reported.
void name_heads(std::vector<SubmissionHead>& heads, std::span<const TakenFolder> taken);

/// Names that several of them have, as a folder would be called, with the folders that they have instead.
std::map<std::string, std::vector<std::string>> shared_names(
    const std::vector<SubmissionHead>& heads);

}  // namespace rankscope
