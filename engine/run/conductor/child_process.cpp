// Starts the user's programs, signals them, and reaps them with their orphans.
#include "engine/run/conductor/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <thread>

#include <fmt/format.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/base/deadline.h"
#include "engine/core/base/error.h"
#include "engine/core/base/process_stat.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/subprocess.h"

namespace rankscope {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kGrace{1'000};  // from the request to end to the order

ChildEnd end_of(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {128 + signal, fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal))};
  }
  return {wait_exit_code(status), fmt::format("exited with code {}", WEXITSTATUS(status))};
}

}  // namespace

Children::Children() {
#if defined(__linux__)
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
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
  children_.push_back(std::move(child));
  return children_.size() - 1;
}

// Orphans that came to us are reaped, too.
void Children::poll() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) != 0;) {
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) break;
    const auto at = ranges::find(children_, pid, &Child::pid);
    if (at == children_.end() || at->ended) continue;
    at->ended = true;
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
    if (at == self) family.push_back(pid);
  }
  return family;
}

}  // namespace rankscope
