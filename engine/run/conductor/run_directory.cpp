// Chooses where a world's private directory is, and removes a dead conductor's.
#include "engine/run/conductor/run_directory.h"

#include <cstdlib>
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <unistd.h>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "rankscope.run-";
constexpr std::size_t kLongestBase = 60;  // socket paths are limited to 107 characters

fs::path base_directory() {
  for (const char* variable : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value == '/' && std::strlen(value) <= kLongestBase &&
        ::access(value, W_OK | X_OK) == 0)
      return value;
  }
  return "/tmp";
}

}  // namespace

std::string random_hex() {
  std::random_device device;
  const auto high = std::uint64_t{device()};
  return fmt::format("{:016x}", (high << 32) | device());
}

RunDirectory::RunDirectory() : folder_(base_directory(), kPrefix) {}

void remove_run_directory_of(const std::string& endpoint) noexcept {
  constexpr std::string_view kIpc = "ipc://";
  if (!endpoint.starts_with(kIpc)) return;
  try {
    const fs::path directory = fs::path(endpoint.substr(kIpc.size())).parent_path();
    std::error_code ignored;
    if (directory.filename().string().starts_with(kPrefix) && is_own_folder(directory))
      fs::remove_all(directory, ignored);
  } catch (const std::exception&) {  // out of memory: the next run removes it
  }
}

}  // namespace rankscope
