// What lies in a folder or zip file, sorted and with limits, before anybody asks whose it is.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/toml/complaints.h"
#include "lessons/submissions/submission_choice.h"
#include "lessons/submissions/zip_entries.h"

namespace rankscope {

/// What is in a folder itself, sorted; `skip` is not. False: there is more than `most`; answers.toml and
/// answers.json are there in any case. Links are faults, and never followed.
bool list_folder(const std::filesystem::path& folder, const std::filesystem::path& skip,
                 std::size_t most, std::vector<FoundFile>& into, Complaints& complaints);

/// A student's files and folders, those near the top first; false: there are more than are read.
bool list_student(const std::filesystem::path& folder, const std::filesystem::path& skip,
                  std::vector<FoundFile>& into, Complaints& complaints);

/// Files and folders at the top of a zip file, and for each of these folders the answer files and zip
/// files below it. A folder that all is in does not count.
std::map<std::string, std::vector<FoundFile>> sort_entries(std::vector<ZipEntry> entries,
                                                           std::vector<FoundFile>& top);

}  // namespace rankscope
