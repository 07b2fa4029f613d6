// Lists a student's files, and chooses the one that is the submission.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/toml/complaints.h"
#include "lessons/submissions/zip_entries.h"

namespace rankscope {

/// A file or folder, in a folder or zip file in which submissions are looked for.
struct FoundFile {
  std::string path;  ///< Below the root, with '/': "anna/answers.toml".
  bool folder = false;
  std::filesystem::path file;  ///< Empty for an entry of a zip file.
  std::size_t index = 0;       ///< The entry's place in the zip file.
  std::string fault;           ///< Why it is not read.
};

std::string_view file_name(std::string_view path);
/// .toml or .json, and not a TA's marks.toml.
bool may_be_answers(std::string_view path);
/// A zip file, or a tar file as it is or packed.
bool is_archive(std::string_view path);
/// Returns whether a path's file has one of these names; "*.ipynb" among them stands for any notebook.
bool is_named(const std::set<std::string>& programs, std::string_view path);
/// answers.toml or answers.json.
bool is_sheet(std::string_view path);
/// A document or picture that may hold answers to questions, which nobody reads from there: "written_answers.md",
/// "schematic.png". No README, and nothing of the folders tests and resources.
bool is_answer_like(std::string_view path);
/// A file that systems leave behind: .DS_Store, __MACOSX, Thumbs.db.
bool is_system_file(std::string_view path);
/// A results.json is no larger.
inline constexpr std::uintmax_t kMostResults = std::uintmax_t{16} << 20;
/// A results.json that we wrote, in whichever version: it holds no answers.
bool is_own_results(const FoundFile& file);

struct SubmissionChoice {
  const FoundFile* file = nullptr;   ///< One of those given; null if none is the submission.
  std::string fault;                 ///< Why there is none: "has no answers.toml ...".
  std::vector<std::string> remarks;  ///< Other files that might have been meant.
  bool own_results = false;          ///< There is only what an earlier grading wrote.
};

/// answers.toml or answers.json, the one nearest to the top; else the only .toml or .json; else the only
/// zip file. `all_seen`: these are all of the student's files.
SubmissionChoice choose_submission(const std::vector<FoundFile>& files, bool all_seen);

/// Lists what is in a folder itself, sorted, without `skip`. Returns false for more than `most` files, of which answers.toml
/// and answers.json are listed in any case. Links are faults, and never followed.
bool list_folder(const std::filesystem::path& folder, const std::filesystem::path& skip,
                 std::size_t most, std::vector<FoundFile>& into, Complaints& complaints);

/// Lists a student's files and folders, those near the top first. Returns false if there are more than are read.
bool list_student(const std::filesystem::path& folder, const std::filesystem::path& skip,
                  std::vector<FoundFile>& into, Complaints& complaints);

/// Files and folders at the top of a zip file, and for each of these folders the answer files,
/// archives and files named in `programs` below it. A folder that holds everything counts as the top.
std::map<std::string, std::vector<FoundFile>> sort_entries(std::vector<ZipEntry> entries,
                                                           std::vector<FoundFile>& top,
                                                           const std::set<std::string>& programs);

}  // namespace rankscope
