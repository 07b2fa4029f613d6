// The answer files of a zip file, read in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lessons/complaints.h"

namespace rankscope {

/// A file of a folder or a zip file, as submissions are found among them.
struct FoundFile {
  std::string path;  ///< Below the root, with '/': "anna/answers.toml".
  bool folder = false;
  std::filesystem::path file;  ///< Empty: `bytes`.
  std::string bytes;
  std::string fault;
};

/// Files that may be answer files; of the others, nothing is unpacked. `unpacked` counts the bytes of
/// all zip files together. Names that lead out of the zip file, links and what is protected by a
/// password become complaints or faults. Never throws.
std::vector<FoundFile> zip_entries(const std::filesystem::path& zip, const std::string& name,
                                   std::uint64_t& unpacked, Complaints& complaints);

/// .toml or .json, and not a TA's marks.
bool may_be_answers(std::string_view path);

}  // namespace rankscope
