// Results of programs from an earlier grading, so that a program which has run does not run again.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace rankscope {

/// The smallest run in which a program fails, for a page.
struct ShownRun {
  std::string text;      ///< Its messages and a question about it, in several lines; or empty.
  std::string explains;  ///< The answer.
  std::string picture;   ///< As an <img>'s src; may be empty.
};

/// The result of a student's program for a code exercise.
struct CodeItem {
  double points = 0, most = 0;
  std::string says;  ///< Rule by rule, several lines.
  bool repeatable =
      true;  ///< False if a busy machine may have caused a failure; the next grading then runs the program again.
  ShownRun smallest = {};
  std::string why = {};      ///< In one line, why there are no points.
  std::string printed = {};  ///< The run, then the first lines that its ranks printed in it.
  double bonus = 0;          ///< On top of the points.
};

struct KeptProgram {
  std::string exercise;  ///< "lesson/id", for people who read the file.
  std::string digest;    ///< Covers all that the result follows from.
  std::string files;     ///< files_hash() of what the program may use.
  CodeItem result;
};

/// In the form of results.json: [{"exercise", "digest", "files", "points", "most", "says", "why", "printed", "smallest"}], the
/// last two if there are any.
nlohmann::json kept_programs_json(const std::vector<KeptProgram>& programs);

class KeptPrograms {
 public:
  KeptPrograms() = default;
  /// Reads what kept_programs_json() wrote. Throws nlohmann::json::exception.
  explicit KeptPrograms(const nlohmann::json& results);

  /// Returns null if there is no such result.
  const CodeItem* find(std::string_view digest) const;
  /// The last result of an exercise ("lesson/id"); null if there is none.
  const KeptProgram* of(std::string_view exercise) const;
  bool empty() const noexcept { return programs_.empty(); }

 private:
  std::vector<KeptProgram> programs_;
};

/// A hash over all regular files in a folder and its folders, since a program may import any of them. Left out are the
/// answers (answers.toml, answers.json at the top), links, .git and __pycache__, which boxes do not get either. Empty if
/// there is too much, or something cannot be read. `without` are paths below the folder that do not count.
std::string files_hash(const std::filesystem::path& folder,
                       const std::set<std::string>& without = {});

}  // namespace rankscope
