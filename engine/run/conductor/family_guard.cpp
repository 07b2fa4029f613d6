// Forks the process that waits for the end of this one, and kills marked processes.
#include "engine/run/conductor/family_guard.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <dirent.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "engine/core/base/process_stat.h"

namespace rankscope {
namespace {

constexpr const char* kVariable = "RANKSCOPE_FAMILY";

// A program that is run by another one's rank belongs to both families.
const std::string& mark() {
  static const std::string text = [] {
    std::random_device random;
    return fmt::format("rankscope-{:08x}{:08x}", random(), random());
  }();
  return text;
}

#if defined(__linux__)

// The guard is a fork of a process with threads, so it may only make system calls: no memory is allocated, no lock taken.

// Returns whether /proc/PID/environ has the mark. `overlap` bytes of each part are searched again with the next one.
bool is_marked(int proc, const char* pid, const char* wanted, std::size_t size) {
  char path[64];
  const std::size_t digits = std::strlen(pid);
  constexpr char kEnd[] = "/environ";
  if (digits + sizeof(kEnd) > sizeof(path)) return false;
  std::memcpy(path, pid, digits);
  std::memcpy(path + digits, kEnd, sizeof(kEnd));
  const int file = ::openat(proc, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[1 << 14];
  std::size_t kept = 0;
  bool found = false;
  while (!found) {
    const ssize_t count = ::read(file, text + kept, sizeof(text) - kept);
    if (count <= 0) break;
    const std::size_t have = kept + static_cast<std::size_t>(count);
    found = ::memmem(text, have, wanted, size) != nullptr;
    kept = std::min(have, size - 1);
    std::memmove(text, text + have - kept, kept);
  }
  ::close(file);
  return found;
}

pid_t number_of(const char* digits) {
  pid_t number = 0;
  for (; *digits >= '0' && *digits <= '9'; ++digits) number = number * 10 + (*digits - '0');
  return *digits == '\0' ? number : 0;
}

struct Entry {  // linux_dirent64
  ino64_t number;
  off64_t next;
  unsigned short length;
  unsigned char kind;
  char name[1];
};

// Returns how many there were.
int kill_marked(const char* wanted, std::size_t size) {
  const int proc = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return 0;
  alignas(Entry) char entries[1 << 12];
  int killed = 0;
  const pid_t self = ::getpid();
  for (long count = 0; (count = ::syscall(SYS_getdents64, proc, entries, sizeof(entries))) > 0;)
    for (long at = 0; at < count;) {
      const auto* entry = reinterpret_cast<const Entry*>(entries + at);
      at += entry->length;
      const pid_t pid = number_of(entry->name);
      if (pid <= 1 || pid == self || !is_marked(proc, entry->name, wanted, size)) continue;
      ::kill(pid, SIGKILL);
      ++killed;
    }
  ::close(proc);
  return killed;
}

/// Where this process's command line lies, as the kernel shows it.
struct CommandLine {
  char* begin = nullptr;
  std::size_t size = 0;
};

CommandLine command_line() {
  constexpr int kArgumentsBegin = 48;  // proc(5)
  const std::string stat = beginning_of(open_proc().get(), "self/stat");
  std::size_t at = stat.rfind(')');
  for (int field = 3; at != std::string::npos && field <= kArgumentsBegin; ++field)
    at = stat.find(' ', at + 1);
  if (at == std::string::npos) return {};
  const auto begin = number_in(stat.substr(at)),
             end = number_in(stat.substr(stat.find(' ', at + 1)));
  if (begin == 0 || end <= begin) return {};
  return {reinterpret_cast<char*>(begin), end - begin};
}

[[noreturn]] void guard(int alive, const char* wanted, std::size_t size, CommandLine line) {
  // Whoever looks for processes by this one's name or command line does not mean the guard.
  ::setsid();
  ::prctl(PR_SET_NAME, "family-guard");
  if (line.begin != nullptr) std::memset(line.begin, 0, line.size);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_IGN);
  ::dup2(alive, 0);
  ::close_range(1, UINT_MAX, 0);
  char said = 0;
  ssize_t count = 0;
  do count = ::read(0, &said, 1);
  while (count < 0 && errno == EINTR);
  if (count != 0) ::_exit(0);  // this process ends in order
  // Some may have been started meanwhile: until two looks find none.
  constexpr int kMostLooks = 200;
  constexpr useconds_t kPause = 5'000;
  for (int looks = 0, none = 0; looks < kMostLooks && none < 2; ++looks) {
    none = kill_marked(wanted, size) == 0 ? none + 1 : 0;
    ::usleep(kPause);
  }
  ::_exit(0);
}

#endif

}  // namespace

void mark_family() {
  static const bool once = [] {
    const char* const outer = std::getenv(kVariable);
    const std::string text = outer == nullptr ? mark() : outer + (" " + mark());
    return ::setenv(kVariable, text.c_str(), 1) == 0;
  }();
  static_cast<void>(once);
}

FamilyGuard::FamilyGuard() {
  mark_family();
#if defined(__linux__)
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  const Fd theirs(ends[0]);
  alive_ = Fd(ends[1]);
  const std::string& wanted = mark();
  const CommandLine line = command_line();
  const pid_t between = ::fork();
  if (between == 0) {
    // An orphan at once: no child of this process, which waits for all of its own.
    const pid_t last = ::fork();
    if (last != 0) ::_exit(last < 0 ? 1 : 0);
    ::close(ends[1]);
    guard(ends[0], wanted.data(), wanted.size(), line);
  }
  int status = 0;
  while (between > 0 && ::waitpid(between, &status, 0) < 0 && errno == EINTR) {
  }
#endif
}

FamilyGuard::~FamilyGuard() {
  if (alive_) [[maybe_unused]]
    const auto written = ::write(alive_.get(), ".", 1);
}

}  // namespace rankscope
