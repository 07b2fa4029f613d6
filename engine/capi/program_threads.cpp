// Reads what the process's threads do from /proc/self/task.
#include "engine/capi/program_threads.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rankscope::capi {
namespace {

constexpr const char* kOwnName = "rs:own";
std::atomic<bool> looks = false;

struct InVerbs {
  std::mutex mutex;
  std::vector<long> threads;
};
InVerbs& in_verbs() {
  static auto* const one = new InVerbs;  // used until the very end of the process
  return *one;
}
thread_local int depth = 0;

bool is_of_library(std::string_view name) { return name == kOwnName || name.starts_with("ZMQbg"); }

/// Returns whether the calling thread is one of ours, or of a library of ours. Looked up once, because names stay.
bool is_own_thread() noexcept {
  thread_local const bool own = [] {
    char name[17] = {};
    ::prctl(PR_GET_NAME, name);
    return is_of_library(name);
  }();
  return own;
}

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Returns whether it waits, without a limit, for another thread: in pthread_join, for a mutex or a condition.
bool waits_for_thread(const std::filesystem::path& task) {
  std::istringstream call(first_line(task / "syscall"));
  long number = -1;
  if (!(call >> number) || number != SYS_futex) return false;
  unsigned long arguments[4] = {};
  for (unsigned long& one : arguments) {
    std::string text;
    call >> text;
    one = std::strtoul(text.c_str(), nullptr, 16);
  }
  const auto operation = arguments[1] & FUTEX_CMD_MASK;
  return (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) && arguments[3] == 0;
}

}  // namespace

InVerb::InVerb() noexcept {
  if (depth++ > 0 || !looks) return;
  const std::lock_guard lock(in_verbs().mutex);
  in_verbs().threads.push_back(::syscall(SYS_gettid));
}

InVerb::~InVerb() {
  if (--depth > 0 || !looks) return;
  const std::lock_guard lock(in_verbs().mutex);
  std::erase(in_verbs().threads, ::syscall(SYS_gettid));
}

bool in_own_code() noexcept { return depth > 0 || is_own_thread(); }
void name_own_thread() noexcept { ::prctl(PR_SET_NAME, kOwnName); }
void look_at_threads() noexcept { looks = true; }

bool other_thread_may_act() noexcept try {
  if (!looks) return false;
  std::vector<long> waiting;
  {
    const std::lock_guard lock(in_verbs().mutex);
    waiting = in_verbs().threads;
  }
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const long number = std::strtol(task.path().filename().c_str(), nullptr, 10);
    if (std::ranges::find(waiting, number) == waiting.end() &&
        !is_of_library(first_line(task.path() / "comm")) && !waits_for_thread(task.path()))
      return true;
  }
  return false;
} catch (const std::exception&) {
  return false;
}

}  // namespace rankscope::capi
