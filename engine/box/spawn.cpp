// Forks and executes a program with a given user, limits and descriptors.
#include "engine/box/spawn.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/box/process_view.h"
#include "engine/core/base/error.h"
#include "engine/core/base/process_stat.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

// systemd's "Users, Groups, UIDs and GIDs" leaves 1879048192 to 2147483647 to nobody; in a container that
// maps fewer users, the last below "nobody" (65534).
constexpr std::uint64_t kFirst = 1'900'000'000, kCount = 60'000;
constexpr std::uint64_t kNobody = 65534, kFewCount = 1000;

std::pair<std::uint64_t, std::uint64_t> range() {
  std::ifstream map("/proc/self/uid_map");
  std::uint64_t inside = 0, outside = 0, count = 0, few = 0;
  while (map >> inside >> outside >> count) {
    if (inside <= kFirst && kFirst + kCount <= inside + count) return {kFirst, kCount};
    if (inside <= kNobody - kFewCount && kNobody <= inside + count) few = kNobody - kFewCount;
  }
  if (few == 0)
    throw UserError(
        "as root, each submission runs as a user of its own, but this container has too few users: "
        "start it with more (the usual 65536), or run rankscope as an ordinary user");
  return {few, kFewCount};
}

bool has_processes(uid_t uid) {
  const Fd proc = open_proc();
  return ranges::any_of(processes_in(proc.get()),
                        [&](pid_t pid) { return user_of(proc.get(), pid) == uid; });
}

}  // namespace

OwnUid::OwnUid(bool wanted) : uid_(::geteuid()), gid_(::getegid()) {
  if (!wanted || uid_ != 0) return;
  const auto [first, count] = range();
  std::random_device random;
  const std::uint64_t start = random() % count;
  for (std::uint64_t i = 0; i < count; ++i)
    if (reserve(static_cast<uid_t>(first + (start + i) % count))) return;
  throw UserError(
      "all users for submissions are taken: let other graders on this machine end first");
}

// Reserves a user by the name of a socket without a file, which is gone when this process is. Programs in boxes are in
// other networks, where they cannot take such names.
bool OwnUid::reserve(uid_t uid) {
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto name = fmt::format("rankscope-user-{}", uid);
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0)
    return false;
  if (has_processes(uid)) return false;
  reservation_ = std::move(socket);
  uid_ = uid;
  gid_ = uid;
  return true;
}

namespace {

// Everything that the child needs, made before the fork: between fork and exec it may not allocate, since
// another thread may have held the allocator's lock.
struct Prepared {
  std::vector<char*> argv, environment;
  std::vector<Fd>
      sources;  // above all numbers, so that no dup2 overwrites one that is still needed
  std::vector<int> numbers;
  std::vector<int> kept;         // what stays open until exec, ascending
  int report = -1;               // tells errno when something fails; closes with exec
  std::string uid_map, gid_map;  // of a user namespace in which everybody is who they were
};

enum class Step { descriptors, limits, user, namespaces, directory, filter, program };
struct Failure {
  Step step;
  int error;
};

[[noreturn]] void fail(int report, Step step) {
  const Failure failure{step, errno};
  [[maybe_unused]] const auto written = ::write(report, &failure, sizeof(failure));
  ::_exit(127);
}

void fresh_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void arrange_descriptors(const Prepared& prepared) {
  for (std::size_t i = 0; i < prepared.numbers.size(); ++i)
    if (::dup2(prepared.sources[i].get(), prepared.numbers[i]) < 0)
      fail(prepared.report, Step::descriptors);
  unsigned next = 0;
  for (const int fd : prepared.kept) {
    if (static_cast<unsigned>(fd) > next) ::close_range(next, static_cast<unsigned>(fd) - 1, 0);
    next = static_cast<unsigned>(fd) + 1;
  }
  if (::close_range(next, UINT_MAX, 0) != 0) fail(prepared.report, Step::descriptors);
}

bool write_file(const char* path, const char* text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const auto size = static_cast<ssize_t>(std::strlen(text));
  const bool written = ::write(file, text, static_cast<std::size_t>(size)) == size;
  ::close(file);
  return written;
}

// Uses raw calls, because the library's functions would signal threads that exist only in the parent.
void change_user(const SpawnPlan& plan, int report) {
  if (::syscall(SYS_setgroups, 0, nullptr) != 0 ||
      ::syscall(SYS_setresgid, plan.gid, plan.gid, plan.gid) != 0 ||
      ::syscall(SYS_setresuid, plan.uid, plan.uid, plan.uid) != 0)
    fail(report, Step::user);
}

bool set_rights(std::uint32_t rights) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{rights, rights, rights}, {}};
  return ::syscall(SYS_capset, &header, data) == 0;
}

// Keeps the rights to change users when another program is executed.
void keep_changing_users(int report) {
  constexpr unsigned long kRights[] = {CAP_SETUID, CAP_SETGID};
  if (!set_rights(1U << CAP_SETUID | 1U << CAP_SETGID)) fail(report, Step::user);
  for (const unsigned long right : kRights)
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, right, 0UL, 0UL) != 0)
      fail(report, Step::user);
}

[[noreturn]] void become_program(const SpawnPlan& plan, const Prepared& prepared) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::chdir(plan.directory.c_str()) != 0) fail(prepared.report, Step::directory);
  if (!plan.confined && !plan.filter.empty()) {
    const sock_fprog filter{static_cast<unsigned short>(plan.filter.size() / sizeof(sock_filter)),
                            reinterpret_cast<sock_filter*>(const_cast<char*>(plan.filter.data()))};
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0UL, 0UL) != 0)
      fail(prepared.report, Step::filter);
  }
  ::execve(prepared.argv[0], prepared.argv.data(), prepared.environment.data());
  fail(prepared.report, Step::program);
}

// Like fork(), whose library function takes locks that another thread may have held, with `flags` of namespaces. Containers
// refuse clone3, whose flags their filter cannot see: clone can do all but begin in a cgroup.
pid_t clone_process(std::uint64_t flags, int* pidfd, int cgroup) {
  clone_args arguments{};
  arguments.flags = flags | (pidfd != nullptr ? CLONE_PIDFD : 0);
  if (cgroup >= 0) {
    arguments.flags |= CLONE_INTO_CGROUP;
    arguments.cgroup = static_cast<std::uint64_t>(cgroup);
  }
  arguments.pidfd = reinterpret_cast<std::uintptr_t>(pidfd);
  arguments.exit_signal = SIGCHLD;
  const auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof(arguments)));
  if (pid >= 0 || errno != ENOSYS || cgroup >= 0) return pid;
  return static_cast<pid_t>(
      ::syscall(SYS_clone, arguments.flags | SIGCHLD, nullptr, pidfd, nullptr, nullptr));
}

// Bubblewrap looks its child up in /proc by the number that it has in this PID namespace. In a container there may be no
// process of that number, and with hidepid none that can be seen. If it cannot be mounted, the one that is there may do.
void mount_own_proc() {
  if (::unshare(CLONE_NEWNS) == 0 &&
      ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0)
    ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
}

// The first process of a PID namespace: starts the program and waits for it, like a small init. When it
// ends, the kernel ends all others.
[[noreturn]] void wait_for_program(const SpawnPlan& plan, const Prepared& prepared) {
  ::prctl(PR_SET_NAME, "rankscope-box");
  const pid_t program = clone_process(0, nullptr, -1);
  if (program == 0) become_program(plan, prepared);
  if (program < 0) fail(prepared.report, Step::program);
  ::close_range(0, UINT_MAX, 0);  // what the program was given is the program's alone
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) ::_exit(127);
    if (ended != program) continue;
    constexpr int kShellSignals = 128;
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : kShellSignals + WTERMSIG(status));
  }
}

[[noreturn]] void in_child(const SpawnPlan& plan, const Prepared& prepared) {
  ::setpgid(0, 0);  // a terminal's Ctrl-C is for the grader
  fresh_signals();
  if (!prepared.uid_map.empty() && (!write_file("/proc/self/setgroups", "deny") ||
                                    !write_file("/proc/self/gid_map", prepared.gid_map.c_str()) ||
                                    !write_file("/proc/self/uid_map", prepared.uid_map.c_str())))
    fail(prepared.report, Step::namespaces);
  // When the machine runs out of memory, the kernel looks here first.
  write_file("/proc/self/oom_score_adj", "900");
  // A fault is then one small page: see MemoryBound. It is inherited, and a program in a box cannot take it back. Where it
  // fails, the process's status says so, and a fault counts as a huge page.
  ::prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL);
  if (plan.confined) mount_own_proc();
  arrange_descriptors(prepared);
  for (const auto& [which, value] : plan.limits) {
    const rlimit limit{value, value};
    if (::setrlimit(static_cast<__rlimit_resource>(which), &limit) != 0)
      fail(prepared.report, Step::limits);
  }
  const bool keep_changing = plan.change_user && plan.keep_changing && !plan.confined;
  if (keep_changing) ::prctl(PR_SET_KEEPCAPS, 1UL, 0UL, 0UL, 0UL);
  if (plan.change_user) change_user(plan, prepared.report);
  if (keep_changing) keep_changing_users(prepared.report);
  // Bubblewrap does it for a box; without, a program could become root by a set-user-id file.
  if (plan.change_user && !plan.confined) ::prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
  // After the change of user, which resets it. (If the caller died before: a box waits at a gate that is
  // the caller's, and ends with it.)
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (plan.confined) wait_for_program(plan, prepared);
  become_program(plan, prepared);
}

// fork() that also makes namespaces and a descriptor of the process.
pid_t start_process(const SpawnPlan& plan, int& pidfd) {
  std::uint64_t flags = plan.confined ? CLONE_NEWPID : 0;
  if (plan.confined && ::geteuid() != 0) flags |= CLONE_NEWUSER;
  return clone_process(flags, &pidfd, plan.cgroup);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

Prepared prepare(const SpawnPlan& plan, int report) {
  Prepared prepared;
  int floor = 3;
  for (const auto& given : plan.descriptors) floor = std::max(floor, given.number + 1);
  for (const auto& given : plan.descriptors) {
    prepared.sources.emplace_back(::fcntl(given.fd, F_DUPFD_CLOEXEC, floor));
    if (!prepared.sources.back())
      throw UserError(fmt::format("cannot hand descriptor {} to a box: {}", given.number,
                                  std::strerror(errno)));
    prepared.numbers.push_back(given.number);
  }
  prepared.sources.emplace_back(::fcntl(report, F_DUPFD_CLOEXEC, floor));
  prepared.report = prepared.sources.back().get();
  if (prepared.report < 0)
    throw UserError(fmt::format("cannot start a box: {}", std::strerror(errno)));
  prepared.kept = prepared.numbers;
  prepared.kept.push_back(prepared.report);
  ranges::sort(prepared.kept);
  prepared.argv = pointers(plan.argv);
  prepared.environment = pointers(plan.environment);
  if (plan.confined && ::geteuid() != 0) {
    prepared.uid_map = fmt::format("{0} {0} 1\n", ::geteuid());
    prepared.gid_map = fmt::format("{0} {0} 1\n", ::getegid());
  }
  return prepared;
}

[[noreturn]] void report_failure(const SpawnPlan& plan, const Failure& failure) {
  const std::string why = std::strerror(failure.error);
  switch (failure.step) {
    case Step::descriptors: throw UserError("cannot arrange the descriptors of a box: " + why);
    case Step::limits: throw UserError("cannot set the limits of a box: " + why);
    case Step::user:
      throw UserError(fmt::format("cannot become user {} for a box: {}", plan.uid, why));
    case Step::namespaces: throw UserError("cannot make the namespaces of a box: " + why);
    case Step::directory: throw UserError(fmt::format("cannot enter {}: {}", plan.directory, why));
    case Step::filter: throw UserError("cannot set the filter of system calls: " + why);
    case Step::program: break;
  }
  throw UserError(fmt::format("cannot start {}: {}", plan.argv[0], why));
}

}  // namespace

Spawned spawn(const SpawnPlan& plan) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw UserError(fmt::format("cannot make a pipe for a box: {}", std::strerror(errno)));
  const Fd heard(ends[0]);
  Fd report(ends[1]);
  Prepared prepared = prepare(plan, report.get());
  int pidfd = -1;
  const pid_t pid = start_process(plan, pidfd);
  if (pid == 0) in_child(plan, prepared);
  const int error = errno;
  prepared.sources.clear();
  report.reset();
  if (pid < 0)
    throw UserError(fmt::format("cannot make a process{}: {}",
                                plan.confined ? " in namespaces of its own" : "",
                                std::strerror(error)));
  Spawned spawned{pid, Fd(pidfd)};
  Failure failure{};
  ssize_t count = 0;
  do count = ::read(heard.get(), &failure, sizeof(failure));
  while (count < 0 && errno == EINTR);
  if (count != static_cast<ssize_t>(sizeof(failure))) return spawned;
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  report_failure(plan, failure);
}

// kill(-1) signals all processes of the sender's real and effective users, and no process starts meanwhile. With a right, or
// as root, the sender would reach all others.
void end_processes_of(uid_t user, uid_t by) {
  if (::geteuid() != 0 || user == 0 || by == 0) return;
  const pid_t child = clone_process(0, nullptr, -1);
  if (child == 0) {
    uid_t real = 0, effective = 0, saved = 0;
    if (::syscall(SYS_setgroups, 0, nullptr) == 0 &&
        ::syscall(SYS_setresgid, user, user, user) == 0 &&
        ::syscall(SYS_setresuid, by, user, by) == 0 && set_rights(0) &&
        ::syscall(SYS_getresuid, &real, &effective, &saved) == 0 && real == by &&
        effective == user && saved == by)
      ::kill(-1, SIGKILL);
    ::_exit(0);
  }
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void kill_pidfd(const Fd& pidfd, int signal) noexcept {
  if (pidfd) ::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0);
}

Fd file_of(const std::string& text) {
  Fd file(::memfd_create("rankscope-box", MFD_CLOEXEC));
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::lseek(file.get(), 0, SEEK_SET) != 0)
    throw UserError(fmt::format("cannot make a file in memory: {}", std::strerror(errno)));
  return file;
}

}  // namespace rankscope
