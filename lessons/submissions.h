// Where answer files come from: folders, zip files, single files. Whoever wrote them may be careless
// or hostile, so nothing is extracted, no link is followed, and everything has a limit.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "lessons/complaints.h"

namespace rankscope {

struct Submission {
  std::string name;  ///< As messages call it: "anna/answers.toml", "class.zip: anna/answers.toml".
  std::string stem;  ///< Who it is from, when the file does not say: "anna".
  std::filesystem::path file;  ///< Read when it is graded; empty: `bytes` (of a zip file).
  std::string bytes;
  std::string fault;  ///< Why there is nothing to read; empty: there is.
};

struct SubmissionList {
  static constexpr std::size_t kMostEntries = 20'000;
  static constexpr std::uint64_t kMostUnpacked = std::uint64_t{64} << 20;

  std::vector<Submission> all;  ///< In the order of the arguments, within one by name.
  Complaints complaints;        ///< What was passed over.
};

/// A folder: each file .toml or .json, each zip file and each sub-folder in it is a submission. A folder
/// or zip file with answers.toml or answers.json at its top is a single one. `skip` is a folder that is no
/// submission: where the results go. Never throws.
SubmissionList find_submissions(const std::vector<std::string>& paths,
                                const std::filesystem::path& skip = {});

/// The answer file's bytes; sets `fault` where it cannot be read. Regular files only.
std::string bytes_of(const Submission& submission, std::string& fault);

/// Names that are safe as a folder's name on any system: printable, no separators, not too long, no
/// two alike (not even by case).
class FolderNames {
 public:
  /// "anna", and "anna-2" when there is one already.
  std::string of(std::string_view student);

 private:
  std::set<std::string> taken_;
};
std::string safe_name(std::string_view student);

}  // namespace rankscope
