// Looks for an executable file in each folder of PATH.
#include "engine/core/base/program_search.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace rankscope {
namespace {

bool may_be_executed(const std::string& file) {
  std::error_code error;  // a folder may be "executed", too
  return ::access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, error);
}

}  // namespace

std::optional<std::string> program_in(std::string_view path, const std::string& program) {
  if (program.find('/') != std::string::npos)
    return may_be_executed(program) ? std::optional(program) : std::nullopt;
  for (std::string_view rest = path; !rest.empty();) {
    const auto end = std::min(rest.find(':'), rest.size());
    const std::string folder(rest.substr(0, end));
    std::string file = (folder.empty() ? "." : folder) + "/" + program;
    if (may_be_executed(file)) return file;
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return std::nullopt;
}

std::optional<std::string> program_on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  return program_in(path == nullptr ? "" : path, program);
}

}  // namespace rankscope
