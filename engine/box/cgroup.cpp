// Creates, limits and removes a control group in a delegated part of the hierarchy.
#include "engine/box/cgroup.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <random>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "rankscope-";

bool has_word(const std::string& text, std::string_view word) {
  std::istringstream words(text);
  for (std::string each; words >> each;)
    if (each == word) return true;
  return false;
}

bool may_have_children(const fs::path& cgroup) {
  const auto control = read_or_nothing(cgroup / "cgroup.subtree_control");
  return has_word(control, "memory") && has_word(control, "pids") &&
         ::access(cgroup.c_str(), W_OK) == 0 &&
         ::access((cgroup / "cgroup.procs").c_str(), W_OK) == 0;
}

// Removes the cgroups of killed graders, which are empty because their boxes died with them.
void remove_old(const fs::path& parent) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const auto name = entry.path().filename().string();
    pid_t pid = 0;
    if (!name.starts_with(kPrefix)) continue;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), pid);
    if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
  }
}

}  // namespace

fs::path delegated_cgroup(const fs::path& mount, const std::string& own) {
  std::istringstream lines(own);
  for (std::string line; std::getline(lines, line);) {
    // Version 2 is the hierarchy with number 0 and without names of controllers.
    if (!line.starts_with("0::/") || line.find("/..") != std::string::npos) continue;
    for (fs::path inside = line.substr(4);; inside = inside.parent_path()) {
      auto cgroup = inside.empty() ? mount : mount / inside;
      if (may_have_children(cgroup)) return cgroup;
      if (inside.empty()) return {};
    }
  }
  return {};
}

fs::path delegated_cgroup() {
  return delegated_cgroup("/sys/fs/cgroup", read_or_nothing("/proc/self/cgroup"));
}

Cgroup::Cgroup(const fs::path& parent, const BoxLimits& limits, std::size_t boxes) {
  remove_old(parent);
  std::random_device random;
  path_ = parent / fmt::format("{}{}-{:08x}", kPrefix, ::getpid(), random());
  if (::mkdir(path_.c_str(), 0755) != 0)
    throw UserError(
        fmt::format("cannot make the cgroup {}: {}", path_.string(), std::strerror(errno)));
  folder_ = Fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  constexpr std::uint64_t kSlackBytes = std::uint64_t{64} << 20;  // also bubblewrap's own
  constexpr std::size_t kSlackProcesses = 64, kProcessesOfABox = 4;
  bool set = static_cast<bool>(folder_);
  if (limits.memory > 0)
    set = set && write("memory.max", std::to_string(limits.memory + kSlackBytes)) &&
          (write("memory.swap.max", "0") || errno == ENOENT) && write("memory.oom.group", "1");
  if (limits.processes > 0)
    set = set && write("pids.max", std::to_string(limits.processes + kSlackProcesses +
                                                  kProcessesOfABox * boxes));
  if (set) return;
  const std::string why = std::strerror(errno);
  ::rmdir(path_.c_str());
  throw UserError(fmt::format("cannot set the limits of the cgroup {}: {}", path_.string(), why));
}

Cgroup::~Cgroup() {
  write("cgroup.kill", "1");
  // The last killed process may still be ending.
  for (int i = 0; i < 100 && ::rmdir(path_.c_str()) != 0 && errno == EBUSY; ++i) ::usleep(5000);
}

bool Cgroup::write(const char* file, const std::string& text) const {
  const Fd opened(::openat(folder_.get(), file, O_WRONLY | O_CLOEXEC));
  return opened &&
         ::write(opened.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool Cgroup::out_of_memory() const {
  std::istringstream events(read_or_nothing(path_ / "memory.events"));
  std::uint64_t count = 0;
  for (std::string name; events >> name >> count;)
    if (name == "oom_kill" && count > 0) return true;
  return false;
}

bool Cgroup::take(pid_t process) const { return write("cgroup.procs", std::to_string(process)); }

}  // namespace rankscope
