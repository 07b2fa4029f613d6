// `rankscope grade` on the small course of the lessons' fixtures.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "tests/cli/files.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace rankscope::test {

/// With the folders that it lies in.
inline void write(const std::string& path, std::string_view bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string small_lessons() { return (source_root() / "tests/lessons/fixtures").string(); }

/// The command, with these lessons.
inline Finished run_with_lessons(const std::vector<std::string>& words,
                                 const std::string& folder = "") {
  return run_rankscope(words,
                       {.environment = {{"RANKSCOPE_LESSONS", small_lessons()}}, .folder = folder});
}

inline Finished grade(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"grade", "small"});
  return run_with_lessons(arguments);
}

inline nlohmann::json results(const std::string& file) { return parse_json(read(file)); }

/// All files below a folder, by name.
inline std::map<std::string, std::string> tree(const std::string& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      out[std::filesystem::relative(entry.path(), folder).string()] = read(entry.path().string());
  return out;
}

}  // namespace rankscope::test
