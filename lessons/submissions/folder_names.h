// The names of the folders that results go to: what marks are written for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// Safe as a folder's name on any system: printable, no separators, at most so many bytes.
std::string safe_name(std::string_view student, std::size_t most = 80);

/// Who handed in what.
struct NamedSubmission {
  std::string student;
  std::string stem;        ///< Of the file.
  std::string submission;  ///< Its path, as messages call it.
};

/// A folder that has results already.
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

}  // namespace rankscope
