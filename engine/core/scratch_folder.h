// A folder of our own that goes with all that is in it.
#pragma once

#include <filesystem>
#include <string_view>

namespace rankscope {

class ScratchFolder {
 public:
  /// "rankscope-NAME-xxxxxx" under $TMPDIR or /tmp, for this user alone. Throws UserError.
  explicit ScratchFolder(std::string_view name);
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
