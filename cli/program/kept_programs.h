// Keeps compiled programs, so that a file that has not changed is not compiled again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::cli {

/// $XDG_CACHE_HOME/rankscope/programs, else in ~/.cache: the programs used last. What cannot be kept is compiled again.
class KeptPrograms {
 public:
  KeptPrograms();

  /// The files that a compiler leaves in a folder.
  static constexpr const char *kProgram = "program", *kSaid = "said", *kMadeFrom = "made-from";

  /// Puts the program of this command and its compiler's words into the folder. Returns false if there is none, or one
  /// of the files that it was made from has changed.
  bool find(const std::vector<std::string>& command, const std::filesystem::path& into) const;
  /// Keeps those of the folder. kMadeFrom is the rule that -MD writes. Nothing is kept if a file has changed since
  /// `began`.
  void keep(const std::vector<std::string>& command, const std::filesystem::path& from,
            std::filesystem::file_time_type began) const;

 private:
  std::filesystem::path folder_;  ///< Empty if there is nowhere to keep them.
};

}  // namespace rankscope::cli
