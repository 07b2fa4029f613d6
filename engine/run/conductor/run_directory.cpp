// Creates a world's private directory and removes directories whose conductor was killed.
#include "engine/run/conductor/run_directory.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/scratch_folder.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "rankscope-";
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

// A conductor that was killed outright leaves its directory, and its workers may be dead as well:
// the next run of the same user cleans up.
void remove_stale(const fs::path& base) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(base, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || !is_own_folder(entry.path())) continue;
    int pid = 0;
    const auto* begin = name.data() + kPrefix.size();
    const auto [end, error] = std::from_chars(begin, name.data() + name.size(), pid);
    if (error != std::errc() || *end != '-' || pid <= 0) continue;
    if (const Fd lock = locked_folder(entry.path())) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

std::string random_hex() {
  std::random_device device;
  const auto high = std::uint64_t{device()};
  return fmt::format("{:016x}", (high << 32) | device());
}

RunDirectory::RunDirectory() {
  const fs::path base = base_directory();
  remove_stale(base);
  const std::string name = fmt::format("{}{}-{}", kPrefix, ::getpid(), random_hex().substr(0, 8));
  path_ = base / name;
  // It gets its name once it is locked: nobody can take it for a dead conductor's in between.
  const fs::path unnamed = base / ("." + name);
  if (::mkdir(unnamed.c_str(), 0700) == 0) lock_ = locked_folder(unnamed);
  if (!lock_ || ::rename(unnamed.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    ::rmdir(unnamed.c_str());
    throw UserError(fmt::format("cannot make the directory {} for sockets: {}", path_.string(),
                                std::strerror(error)));
  }
}

RunDirectory::~RunDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

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
