// Programs that were handed in as a zip file, put into a folder so that they can be run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/base/scratch_folder.h"

namespace rankscope {

/// Where a student's programs are, in a zip file.
struct ZippedPrograms {
  std::filesystem::path zip;          ///< Empty: they are in no zip file.
  std::optional<std::size_t> nested;  ///< The student's own zip file is this entry of it.
  std::size_t beside = 0;             ///< They lie beside this entry.

  bool there() const noexcept { return !zip.empty(); }
};

struct UnpackedPrograms {
  ScratchFolder folder{"unpacked"};
  std::vector<std::string> left_out;  ///< "my_broadcast.py is a symbolic link; ...", one line each.
};

/// The regular files of that entry's folder and of folders in it, with limits as those of a
/// student's folder. Nothing leads out of the folder, no link is made, and what the zip file says of sizes is not
/// believed. Throws UserError when the folder cannot be written.
UnpackedPrograms unpack_programs(const ZippedPrograms& from);

}  // namespace rankscope
