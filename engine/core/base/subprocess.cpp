// Starts programs without a shell, waits for them, and ends them with their group.
#include "engine/core/base/subprocess.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/ranges.h"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace rankscope {
namespace {

/// The settings for posix_spawn other than words and variables.
class SpawnSettings {
 public:
  explicit SpawnSettings(const SubprocessOptions& options) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    reset_signals(options.own_group);
    for (const auto& one : options.descriptors) {
      if (one.file.empty()) ::posix_spawn_file_actions_adddup2(&actions_, one.ours, one.theirs);
      else
        ::posix_spawn_file_actions_addopen(&actions_, one.theirs, one.file.c_str(), one.flags,
                                           0600);
    }
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    if (options.close_from >= 0)
      ::posix_spawn_file_actions_addclosefrom_np(&actions_, options.close_from);
#endif
    if (!options.folder.empty())
      ::posix_spawn_file_actions_addchdir_np(&actions_, options.folder.c_str());
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const noexcept { return &actions_; }
  const posix_spawnattr_t* attributes() const noexcept { return &attributes_; }

 private:
  void reset_signals(bool own_group) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (own_group) {
      flags |= POSIX_SPAWN_SETPGROUP;
      ::posix_spawnattr_setpgroup(&attributes_, 0);
      ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::string_view name_in(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

std::vector<std::string> variables_with(const std::vector<std::string>& changes) {
  std::vector<std::string> variables;
  for (const std::string& change : changes)
    if (change.find('=') != std::string::npos) variables.push_back(change);
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const bool changed = ranges::any_of(
        changes, [&](const std::string& one) { return name_in(one) == name_in(variable); });
    if (!changed) variables.emplace_back(variable);
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

bool may_be_executed(const std::string& file) {
  std::error_code error;  // a folder may be "executed", too
  return ::access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, error);
}

}  // namespace

int start_process(const SubprocessOptions& options, pid_t& pid) {
  const SpawnSettings settings(options);
  auto words = options.words;
  auto variables = variables_with(options.environment);
  return ::posix_spawnp(&pid, words.at(0).c_str(), settings.actions(), settings.attributes(),
                        pointers_to(words).data(), pointers_to(variables).data());
}

int wait_exit_code(int wait_status) noexcept {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

Subprocess::Subprocess(const SubprocessOptions& options) : own_group_(options.own_group) {
  const int error = start_process(options, pid_);
  if (error == 0) return;
  pid_ = -1;
  throw UserError(fmt::format("cannot start {}: {}", options.words[0], std::strerror(error)));
}

// A group's leader is not reaped before kill(), because until then no other process can get the group's number.
std::optional<int> Subprocess::wait(Deadline deadline) noexcept {
  while (!code_) {
    siginfo_t end{};
    const int options = WEXITED | WNOWAIT | (deadline.is_never() ? 0 : WNOHANG);
    const bool asked = ::waitid(P_PID, static_cast<id_t>(pid_), &end, options) == 0;
    if (asked && end.si_pid == pid_) {
      code_ = end.si_code == CLD_EXITED ? end.si_status : 128 + end.si_status;
      if (!own_group_) ::waitpid(std::exchange(pid_, -1), nullptr, 0);
    } else if (!asked && errno != EINTR) {  // somebody else has waited for it
      code_ = pid_ = -1;
    } else if (deadline.passed()) {
      break;
    } else if (asked) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return code_;
}

void Subprocess::signal(int number) const noexcept {
  if (!code_) ::kill(pid_, number);
}

void Subprocess::kill() noexcept {
  if (pid_ < 0) return;
  ::kill(own_group_ ? -pid_ : pid_, SIGKILL);
  wait(Deadline::never());
  if (pid_ >= 0) ::waitpid(std::exchange(pid_, -1), nullptr, 0);
}

std::string output_of(SubprocessOptions options, Deadline deadline) try {
  constexpr std::size_t kMost = std::size_t{1} << 18;
  const Fd file(::memfd_create("output", MFD_CLOEXEC));
  if (!file) return {};
  options.descriptors = {{.theirs = 1, .ours = file.get()},
                         {.theirs = 2, .file = "/dev/null", .flags = O_WRONLY}};
  if (Subprocess(options).wait(deadline) != 0) return {};
  std::string out(kMost, '\0');
  const ssize_t got = ::pread(file.get(), out.data(), out.size(), 0);
  out.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return out;
} catch (const UserError&) {
  return {};
}

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
