// Copies a student's submission without trusting it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/fd.h"

namespace rankscope {

struct CopyLimits {
  std::uint64_t files = 2000;  ///< With folders.
  std::uint64_t bytes = std::uint64_t{64} << 20;
  int depth = 16;  ///< Folders in folders.
};

/// The owner that the copies get; see BoxGroup::uid().
struct CopyOwner {
  uid_t uid;
  gid_t gid;
  bool group_reads = false;  ///< Others of the group may read them, but not change them.
};

struct CopyReport {
  std::uint64_t files = 0, bytes = 0;
  std::vector<std::string> left_out;  ///< "src/key: a symbolic link"; the first 50.
  /// Why nothing was copied: "has more than 2,000 files and folders"; empty after a copy.
  std::string refused;
};

/// Makes an empty folder of this owner, which must not be there yet. Throws UserError.
void make_folder_of(const std::filesystem::path& folder, const CopyOwner& owner, mode_t mode);

/// A folder that is no symbolic link. Throws UserError.
Fd open_folder_itself(const std::filesystem::path& folder);

/// Copies the regular files of a folder, and of the folders in it, to `to`, which must not be there yet. No link
/// is followed, wherever it stands and whenever it is put there; no device or pipe is opened for longer than it
/// takes to see what it is. Hard links to another user's file, .git and __pycache__ are left out. Only the owner may read
/// the copies, unless its group may, too. Throws UserError when the folder cannot be opened or `to` cannot be written.
CopyReport copy_submission(const std::filesystem::path& folder, const std::filesystem::path& to,
                           const CopyLimits& limits = {},
                           const std::optional<CopyOwner>& owner = std::nullopt);

}  // namespace rankscope
