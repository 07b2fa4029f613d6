// Files that are read whole, within a limit, files that appear complete or not at all, and a user's folders.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "engine/core/base/error.h"

namespace rankscope {

enum class LinkRule { follow, refuse };

/// Returns the file's bytes. Returns nothing and sets `fault` ("has 5 bytes; at most 4 are read", "cannot be read:
/// ...") if it is larger than `most`, not a regular file, or cannot be read to its end. Does not wait for a pipe.
std::string read_whole(const std::filesystem::path& file, std::uintmax_t most, std::string& fault,
                       LinkRule links = LinkRule::follow);
/// Returns the bytes of a file of at most 1 GiB, or nothing if it cannot be read.
std::string read_or_nothing(const std::filesystem::path& file);

/// A file that is written under a temporary name beside its target and renamed when complete, so that an interrupted
/// process leaves no half-written file under the final name. Anything but a regular file (a device, a pipe) is written
/// directly. An existing file keeps its mode; for a symbolic link the file that it points to is replaced or created.
class NewFile {
 public:
  /// Throws UserError if the file cannot be created. Messages call it `path` and end with `advice`.
  explicit NewFile(std::string path, std::string advice = "Choose another place.");
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();  ///< Removes the file unless finish() was called.

  /// Writes the whole contents. Throws UserError, and whatever `contents` throws.
  void write(const std::function<void(std::ostream&)>& contents);
  /// Has `writer` produce the file: it gets a name and must replace an existing file. Returns the size; 0 for a device.
  std::uint64_t write_by(const std::function<void(const std::string& file)>& writer);
  /// Renames the file to its final name. Throws UserError.
  void finish();

 private:
  void make_temporary();
  [[noreturn]] void fail(int error) const;

  std::string path_, advice_;
  std::string target_, temporary_;  // no temporary: written directly, or finished
  std::optional<mode_t> mode_;      // of the replaced file
};

/// Writes a NewFile of these bytes. Throws UserError.
void write_whole(const std::string& path, std::string_view bytes);

/// A folder, to be made by its user, beside the place that it takes when it is complete.
class NewFolder {
 public:
  explicit NewFolder(const std::filesystem::path& target);
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder();
  const std::filesystem::path& path() const noexcept { return folder_; }
  const std::filesystem::path& target() const noexcept { return target_; }
  /// Replaces what is at the target by `ready`: the folder, or a file that was made of it. Throws UserError.
  void finish(const std::filesystem::path& ready);

 private:
  std::filesystem::path target_, folder_;
};

/// Returns the absolute folder that an environment variable names, else the folder `at_home` below $HOME; empty without
/// a home.
inline std::filesystem::path user_folder(const char* variable, const char* at_home) {
  const char *const chosen = std::getenv(variable), *const home = std::getenv("HOME");
  if (chosen != nullptr && *chosen == '/') return chosen;
  return home == nullptr || *home != '/' ? std::filesystem::path()
                                         : std::filesystem::path(home) / at_home;
}

/// Returns $XDG_DATA_HOME, or ~/.local/share. Throws UserError if there is no home.
inline std::filesystem::path user_data_folder() {
  auto folder = user_folder("XDG_DATA_HOME", ".local/share");
  if (folder.empty())
    throw UserError("there is no home folder for your data: set HOME or XDG_DATA_HOME");
  return folder;
}

}  // namespace rankscope
