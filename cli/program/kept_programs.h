// Keeps compiled programs, so that a file that has not changed is not compiled again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::cli {

/// The last used programs, in $XDG_CACHE_HOME/rankscope/programs, else in ~/.cache.
class KeptPrograms {
 public:
  KeptPrograms();

  /// The files that a compiler leaves in a folder.
  static constexpr const char *kProgram = "program", *kSaid = "said", *kMadeFrom = "made-from";

  /// Copies the program of this compiler command, with the compiler's messages, into the folder. Returns false if none is kept, or
  /// one of the files from which it was made has changed.
  bool find(const std::vector<std::string>& command, const std::filesystem::path& into) const;
  /// Keeps the folder's program and messages. Its kMadeFrom is the rule that -MD writes. Keeps nothing if a file has changed since
  /// `began`.
  void keep(const std::vector<std::string>& command, const std::filesystem::path& from,
            std::filesystem::file_time_type began) const;

 private:
  std::filesystem::path folder_;  ///< Empty if there is nowhere to keep them.
};

}  // namespace rankscope::cli
