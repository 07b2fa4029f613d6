// Files of runs that nobody has saved yet.
#pragma once

#include <deque>
#include <filesystem>
#include <string>

namespace rankscope::gui {

/// Returns the folder that an environment variable names, else the one of this name at home; empty without a home.
std::filesystem::path user_folder(const char* variable, const char* at_home);
/// Returns the folder for traces that nobody has saved yet: $XDG_CACHE_HOME/rankscope/gui, mode 0700.
std::filesystem::path cache_folder();

/// A folder of this session's own in cache_folder(). It holds a lock on it as long as it lives: what
/// another session finds without a lock was left by a process that is gone, and is removed.
class RunCache {
 public:
  RunCache() noexcept;
  RunCache(const RunCache&) = delete;
  RunCache& operator=(const RunCache&) = delete;
  /// Removes its files, but those that somebody holds a lock on (who records or copies one).
  ~RunCache();

  /// A name that was not used before. Of many runs, only the last few keep their file. Empty: there
  /// is no place for one (no home, a full disk), and runs go without.
  std::string next_file();

 private:
  static constexpr std::size_t kMostFiles = 8;
  void make_folder(const std::filesystem::path& base);

  std::filesystem::path folder_;  ///< Empty: none.
  int lock_ = -1;
  int number_ = 0;
  std::deque<std::filesystem::path> files_;
};

}  // namespace rankscope::gui
