// Lists an archive (zip, or tar as it is or packed), and reads or unpacks single entries.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/core/base/scratch_folder.h"
#include "engine/toml/complaints.h"

namespace rankscope {

/// A zip file, or one that was found in a zip file.
struct ZipSource {
  std::filesystem::path file;  ///< If empty, `bytes` holds it.
  std::string bytes;
};

struct ZipEntry {
  std::string path;  ///< With '/', and none at its end.
  bool folder = false;
  std::size_t index = 0;  ///< Its place in the zip file.
  std::string fault;      ///< Why it must not be read: "is a symbolic link; ...".
};

/// Lists the entries without unpacking them. More than `most`, names that lead out of the zip file and damage become
/// complaints. Never throws.
std::vector<ZipEntry> zip_entries(const ZipSource& zip, const std::string& name, std::size_t most,
                                  Complaints& complaints);

/// Unpacks single entries: `wanted` says how many bytes each may have, by its index; `take` gets the bytes,
/// or a fault. The sizes that the zip file states are not trusted.
void unpack_entries(
    const ZipSource& zip, const std::map<std::size_t, std::size_t>& wanted,
    const std::function<void(std::size_t index, std::string bytes, std::string fault)>& take);

/// The place of a student's programs in a zip file.
struct ZippedPrograms {
  std::filesystem::path zip;        ///< Empty if they are in no zip file.
  std::vector<std::size_t> inside;  ///< Entries that are archives, each in the one before.
  std::size_t beside = 0;           ///< They lie beside this entry,
  std::size_t levels = 0;           ///< or beside the folder so far above it.
  bool alone = false;  ///< That entry, or `zip` itself if it is no archive, is the only program.

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
