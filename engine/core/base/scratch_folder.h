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

/// Returns whether the path is a folder of this user, and no link to one.
bool is_own_folder(const std::filesystem::path& path);
/// Locks a folder until the descriptor is closed, at the latest when this process ends; empty where another one holds it.
Fd locked_folder(const std::filesystem::path& path);

/// A folder of a process that was killed is removed by the next process of the same user that makes one.
class ScratchFolder {
 public:
  enum class For : std::uint8_t {
    owner,
    everybody,  ///< May be traversed but not listed: for processes of another user that know the names.
  };
  /// Makes "rankscope.tmp-NAME-xxxxxx" under $TMPDIR or /tmp. If others cannot reach $TMPDIR, a folder for everybody is
  /// made in /tmp. Throws UserError.
  explicit ScratchFolder(std::string_view name, For whom = For::owner);
  ScratchFolder(ScratchFolder&& other) noexcept
      : lock_(std::move(other.lock_)), path_(std::move(other.path_)) {
    other.path_.clear();
  }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  Fd lock_;
  std::filesystem::path path_;
};

}  // namespace rankscope
