// What is in a zip file, and single entries of it, read in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/toml/complaints.h"

namespace rankscope {

/// A zip file, or one that was found in a zip file.
struct ZipSource {
  std::filesystem::path file;  ///< Empty: `bytes`.
  std::string bytes;
};

struct ZipEntry {
  std::string path;  ///< With '/', and none at its end.
  bool folder = false;
  std::size_t index = 0;  ///< Its place in the zip file.
  std::string fault;      ///< Why it must not be read: "is a symbolic link; ...".
};

/// The entries, of which nothing is unpacked. More than `most`, names that lead out of the zip file and
/// damage become complaints. Never throws.
std::vector<ZipEntry> zip_entries(const ZipSource& zip, const std::string& name, std::size_t most,
                                  Complaints& complaints);

/// Unpacks single entries: `wanted` says how many bytes each may have, by its index; `take` gets the bytes,
/// or a fault. What the zip file says of an entry's size is not believed.
void unpack_entries(
    const ZipSource& zip, const std::map<std::size_t, std::size_t>& wanted,
    const std::function<void(std::size_t index, std::string bytes, std::string fault)>& take);

}  // namespace rankscope
