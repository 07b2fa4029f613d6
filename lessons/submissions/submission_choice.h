// Which of a student's files is the submission.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// A file or folder among which submissions are found, of a folder or a zip file.
struct FoundFile {
  std::string path;  ///< Below the root, with '/': "anna/answers.toml".
  bool folder = false;
  std::filesystem::path file;  ///< Empty: an entry of a zip file.
  std::size_t index = 0;       ///< Of that entry.
  std::string fault;           ///< Why it is not read.
};

std::string_view file_name(std::string_view path);
/// .toml or .json, and not a TA's marks.toml.
bool may_be_answers(std::string_view path);
bool is_zip(std::string_view path);
/// answers.toml or answers.json.
bool is_sheet(std::string_view path);
/// What computers leave behind: .DS_Store, __MACOSX, Thumbs.db.
bool is_system_file(std::string_view path);
/// No results.json is larger.
inline constexpr std::uintmax_t kMostResults = std::uintmax_t{16} << 20;
/// A results.json that we wrote, in whichever version: it holds no answers.
bool is_own_results(const FoundFile& file);

struct SubmissionChoice {
  const FoundFile* file = nullptr;   ///< Of those given.
  std::string fault;                 ///< Why there is none: "has no answers.toml ...".
  std::vector<std::string> remarks;  ///< What else might have been meant.
  bool own_results = false;          ///< Nothing but what an earlier grading wrote.
};

/// answers.toml or answers.json, the one nearest to the top; else the only .toml or .json; else the only
/// zip file. `all_seen`: these are all of the student's files.
SubmissionChoice choose_submission(const std::vector<FoundFile>& files, bool all_seen);

}  // namespace rankscope
