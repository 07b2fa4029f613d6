// Starts the user's programs, signals them, and reaps them with their orphans.
#include "engine/run/conductor/child_process.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#if defined(__linux__)
#include <dirent.h>
#include <sys/prctl.h>
#endif
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/base/deadline.h"
#include "engine/core/base/error.h"
#include "engine/core/base/process_stat.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kGrace{1'000};  // from SIGTERM to SIGKILL
constexpr std::size_t kMostTargets = 4096, kTargetBytes = kMostTargets * sizeof(pid_t);

ChildEnd end_of(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {128 + signal, fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal))};
  }
  return {wait_exit_code(status), fmt::format("exited with code {}", WEXITSTATUS(status))};
}

const std::string& mark() {
  static const std::string text = [] {
    std::random_device random;
    return fmt::format("rankscope-{:08x}{:08x}", random(), random());
  }();
  return text;
}

#if defined(__linux__)

// The guard is a fork of a process with threads, so it may only make system calls: no memory is allocated, no lock taken.

bool is_marked(int proc, const char* pid, std::string_view wanted) {
  const Fd folder(::openat(proc, pid, O_PATH | O_CLOEXEC));
  const Fd file(::openat(folder.get(), "environ", O_RDONLY | O_CLOEXEC));
  char text[1 << 14];
  std::size_t kept = 0;  // bytes of the previous part, in which the mark may begin
  for (ssize_t count = 0; (count = ::read(file.get(), text + kept, sizeof(text) - kept)) > 0;) {
    const std::size_t have = kept + static_cast<std::size_t>(count);
    if (::memmem(text, have, wanted.data(), wanted.size()) != nullptr) return true;
    kept = std::min(have, wanted.size() - 1);
    std::memmove(text, text + have - kept, kept);
  }
  return false;
}

// Kills all processes with the mark; returns whether there were any.
bool kill_marked(std::string_view wanted) {
  const Fd proc = open_proc();
  alignas(dirent64) char entries[1 << 12];
  bool found = false;
  for (ssize_t count = 0; (count = ::getdents64(proc.get(), entries, sizeof(entries))) > 0;)
    for (ssize_t at = 0; at < count;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      const auto pid = static_cast<pid_t>(number_in(entry->d_name));
      if (pid <= 1 || pid == ::getpid() || !is_marked(proc.get(), entry->d_name, wanted)) continue;
      ::kill(pid, SIGKILL);
      found = true;
    }
  return found;
}

[[noreturn]] void guard_family(int alive, const pid_t* targets, std::string_view wanted,
                               std::size_t command_line) {
  // The guard must outlive a kill of this process by group, name or command line.
  ::setsid();
  ::prctl(PR_SET_NAME, "family-guard");
  std::memset(program_invocation_name, 0, command_line);  // all words lie behind the first
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_IGN);
  ::dup2(alive, 0);
  ::close_range(1, UINT_MAX, 0);
  char nothing = 0;
  while (::read(0, &nothing, 1) < 0 && errno == EINTR) {
  }
  // The children are killed by number, too: they may have cleared their environment.
  for (std::size_t i = 0; i < kMostTargets; ++i)
    if (targets[i] != 0) ::kill(targets[i], SIGKILL);
  // Others may be started meanwhile, so the search ends only when two looks find none.
  constexpr int kMostLooks = 200;
  constexpr useconds_t kPause = 5'000;
  for (int looks = 0, none = 0; looks < kMostLooks && none < 2; ++looks) {
    none = kill_marked(wanted) ? 0 : none + 1;
    ::usleep(kPause);
  }
  ::_exit(0);
}

#endif

}  // namespace

// A program that another program's rank runs belongs to both families.
void mark_family() {
  static const bool once = [] {
    constexpr const char* kVariable = "RANKSCOPE_FAMILY";
    const char* const outer = std::getenv(kVariable);
    const std::string text = outer == nullptr ? mark() : outer + (" " + mark());
    return ::setenv(kVariable, text.c_str(), 1) == 0;
  }();
  static_cast<void>(once);
}

Children::Children() {
  mark_family();
#if defined(__linux__)
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  int ends[2];
  void* const shared =
      ::mmap(nullptr, kTargetBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return;
  targets_ = static_cast<pid_t*>(shared);
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  const Fd theirs(ends[0]);
  alive_ = Fd(ends[1]);
  constexpr std::size_t kMostShown = 1 << 17;
  const std::size_t shown = beginning_of(open_proc().get(), "self/cmdline", kMostShown).size();
  guard_ = ::fork();
  if (guard_ != 0) return;
  ::close(ends[1]);  // a kernel before 5.9 has no close_range
  guard_family(ends[0], targets_, mark(), shown);
#endif
}

Children::~Children() {
  signal(SIGTERM);
  const auto grace = Deadline::in(kGrace);
  for (poll(); !family().empty() && !grace.passed(); poll())
    std::this_thread::sleep_for(milliseconds(10));
  // Killed processes may have started others in the meantime.
  const auto last = Deadline::in(kGrace);
  for (auto left = family(); !left.empty() && !last.passed(); left = family()) {
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    poll();
    std::this_thread::sleep_for(milliseconds(5));
  }
#if defined(__linux__)
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
#endif
  // The guard's pid is its own until it is reaped; poll() reaps it if it was killed.
  if (guard_ > 0 && ::waitpid(guard_, nullptr, WNOHANG) == 0) {
    ::kill(guard_, SIGKILL);
    while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (targets_ != nullptr) ::munmap(targets_, kTargetBytes);
}

std::size_t Children::start(const ChildOptions& options, ProgramStem* stem) {
  Child child;
  child.own_group = options.own_group;
  if (stem != nullptr) {
    stem_ = stem->pid();
    child.pid = stem->fork_copy(options.environment, options.descriptors);
  }
  const SubprocessOptions settings{.words = options.argv,
                                   .environment = options.environment,
                                   .descriptors = options.descriptors,
                                   .own_group = options.own_group};
  const int error = child.pid >= 0 ? 0 : start_process(settings, child.pid);
  if (error != 0)
    throw UserError(fmt::format("cannot start {}: {}", options.argv[0], std::strerror(error)));
  set_target(children_.size(), child.own_group ? -child.pid : child.pid);
  children_.push_back(std::move(child));
  return children_.size() - 1;
}

void Children::set_target(std::size_t child, pid_t target) noexcept {
  if (targets_ != nullptr && child < kMostTargets) targets_[child] = target;
}

// Adopted orphans are reaped, too.
void Children::poll() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) != 0;) {
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) break;
    const auto at = ranges::find(children_, pid, &Child::pid);
    if (at == children_.end() || at->ended) continue;
    at->ended = true;
    set_target(static_cast<std::size_t>(at - children_.begin()), 0);
    at->end = end_of(status);
  }
}

bool Children::running() const {
  return ranges::any_of(children_, [](const Child& child) { return !child.ended; });
}

void Children::signal(int number) const noexcept {
  for (const Child& child : children_)
    if (!child.ended) ::kill(child.own_group ? -child.pid : child.pid, number);
}

std::vector<pid_t> Children::family() const {
  std::map<pid_t, pid_t> parents;
  const Fd proc = open_proc();
  for (const pid_t pid : processes_in(proc.get()))
    if (const auto stat = process_stat(proc.get(), pid)) parents[pid] = stat->parent;
  std::vector<pid_t> family;
  const pid_t self = ::getpid();
  for (const auto& [pid, parent] : parents) {
    pid_t at = pid == stem_ ? 0 : parent;
    for (int depth = 0; depth < 1000 && at > 1 && at != self; ++depth) {
      const auto next = parents.find(at);
      at = next == parents.end() || at == stem_ ? 0 : next->second;
    }
    if (at == self && pid != guard_) family.push_back(pid);
  }
  return family;
}

}  // namespace rankscope
