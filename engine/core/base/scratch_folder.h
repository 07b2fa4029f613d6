// A private folder that is removed with its contents.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "engine/core/base/fd.h"

namespace rankscope {

/// Returns whether any user may traverse all folders on the way to this path, and read the file or search the folder
/// that it names.
bool is_world_accessible(const std::filesystem::path& path);

/// Returns whether the path is a folder of this user, and not a link to one.
bool is_own_folder(const std::filesystem::path& path);
/// Locks a file or folder until the descriptor is closed, at the latest when this process ends. Returns an empty
/// descriptor if another process holds the lock, or if the path cannot be opened or is a link.
Fd locked(const std::filesystem::path& path);

/// A new folder that is locked as long as the object lives, then removed. A folder without a lock was left by a killed
/// process; the next process of the same user that makes a folder in the same place removes it.
class ScratchFolder {
 public:
  enum class For : std::uint8_t {
    owner,
    everybody,  ///< May be traversed but not listed: for processes of another user that know the names.
  };
  enum class Locked : std::uint8_t { removed, kept };  ///< What happens to files that are locked.
  /// Makes "rankscope.tmp-NAME-xxxxxx" under $TMPDIR or /tmp. If others cannot reach $TMPDIR, a folder for everybody is
  /// made in /tmp. Throws UserError.
  explicit ScratchFolder(std::string_view name, For whom = For::owner);
  static constexpr std::string_view kSetTmpdir = "Set TMPDIR to a folder that can be written.";
  /// Makes "PREFIXPID-xxxxxx" in `parent`, and removes folders of killed processes with this prefix. Throws UserError,
  /// which ends in `advice`.
  ScratchFolder(const std::filesystem::path& parent, std::string_view prefix,
                Locked locked = Locked::removed, std::string_view advice = kSetTmpdir);
  ScratchFolder(ScratchFolder&& other) noexcept
      : lock_(std::move(other.lock_)), path_(std::move(other.path_)), locked_(other.locked_) {
    other.path_.clear();
  }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  void make(const std::filesystem::path& parent, std::string_view prefix, std::string_view advice);

  Fd lock_;
  std::filesystem::path path_;
  Locked locked_ = Locked::removed;
};

}  // namespace rankscope
