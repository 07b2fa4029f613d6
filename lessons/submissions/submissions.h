// Finds answer files in folders, zip files and single files. Anyone who wrote them may be careless or hostile, so nothing
// is extracted, no link is followed, and everything has a limit of its own: what one student hands in takes nothing from
// the others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "engine/toml/complaints.h"
#include "lessons/submissions/zip_entries.h"

namespace rankscope {

struct Submission {
  std::string name;  ///< As messages call it: "anna/answers.toml", "class.zip: anna/answers.toml".
  std::string stem;  ///< The student, when the file does not say: "anna".
  std::filesystem::path file;  ///< Read when it is graded; if empty, `bytes` (of a zip file).
  std::string bytes;
  std::string fault;                 ///< Why there is nothing to read; empty if there is something.
  std::vector<std::string> remarks;  ///< Other files beside it, one line each.
  ZippedPrograms programs{};         ///< The programs beside the answer file in its zip file.
  bool only_programs = false;        ///< Programs are the whole submission, without an answer file.
  std::size_t levels = 0;  ///< `file` is a program this many folders below the student's folder.
};

struct SubmissionList {
  static constexpr std::size_t kMostEntries = 20'000;      ///< At the top of a class's folder.
  static constexpr std::size_t kMostZipEntries = 100'000;  ///< In a class's zip file.
  static constexpr std::size_t kMostOfStudent = 1000;  ///< Files of a student's folder or zip file.
  static constexpr std::size_t kMostNested = std::size_t{16} << 20;  ///< A zip file in a zip file.
  /// The most bytes for all answer files of a class's zip file.
  static constexpr std::uint64_t kMostUnpacked = std::uint64_t{256} << 20;

  std::vector<Submission> all;  ///< In the order of the arguments, within one by name.
  Complaints complaints;        ///< About what was passed over.
};

/// A folder: each file .toml or .json, each zip file and each sub-folder in it is a submission. A folder
/// or zip file with answers.toml or answers.json at its top is a single one, unless there are more in
/// folders beside it. Each entry of a class's folder or zip file is one submission, also a zip file in it. `skip` is a
/// folder that is no submission: where the results go. `programs` are names of files that are a submission without any
/// answers. Never throws.
SubmissionList find_submissions(const std::vector<std::string>& paths,
                                const std::filesystem::path& skip = {},
                                const std::set<std::string>& programs = {});

/// The answer file's bytes; sets `fault` where it cannot be read. Regular files only.
std::string bytes_of(const Submission& submission, std::string& fault);

}  // namespace rankscope
