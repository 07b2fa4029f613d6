#include "engine/run/run_directory.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/error.h"

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

// A conductor that was killed outright leaves its directory; the next run of the same user cleans up.
void remove_stale(const fs::path& base) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(base, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    struct stat info {};
    if (::lstat(entry.path().c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
        info.st_uid != ::geteuid())
      continue;
    int pid = 0;
    const auto* begin = name.data() + kPrefix.size();
    const auto [end, error] = std::from_chars(begin, name.data() + name.size(), pid);
    if (error != std::errc() || *end != '-' || pid <= 0) continue;
    if (::kill(pid, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
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
  path_ = base / fmt::format("{}{}-{}", kPrefix, ::getpid(), random_hex().substr(0, 8));
  if (::mkdir(path_.c_str(), 0700) != 0)
    throw UserError(fmt::format("cannot make the directory {} for sockets: {}", path_.string(),
                                std::strerror(errno)));
}

RunDirectory::~RunDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace rankscope
