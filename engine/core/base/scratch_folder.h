// A private folder that is removed with its contents.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace rankscope {

/// Returns whether any user may traverse all folders on the way to this path, and read the file or search the folder
/// that it names.
bool is_world_accessible(const std::filesystem::path& path);

class ScratchFolder {
 public:
  enum class For : std::uint8_t {
    owner,
    everybody,  ///< May be traversed but not listed: for processes of another user that know the names.
  };
  /// Makes "rankscope-NAME-xxxxxx" under $TMPDIR or /tmp. If others cannot reach $TMPDIR, a folder for everybody is
  /// made in /tmp. Throws UserError.
  explicit ScratchFolder(std::string_view name, For whom = For::owner);
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace rankscope
