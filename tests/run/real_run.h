// Shared by tests of real worker processes: options, and a check for what a run leaves behind.
#pragma once

#include <atomic>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/core/base/subprocess.h"
#include "engine/run/conductor/process_runner.h"
#include "tests/support/process.h"

namespace rankscope::test {

RunnerOptions real_workers();

/// Living children of this process (zombies too).
std::set<int> children();
/// Run directories with this process id (0: of any process of this machine that is no more).
std::vector<std::filesystem::path> run_directories(int pid);
int open_descriptors();

/// Records what exists now; later finds what was added (after waiting a moment for it to vanish).
class Leftovers {
 public:
  Leftovers();
  /// Empty when nothing was left; else what, in words.
  std::string found() const;

 private:
  std::string look() const;
  std::set<int> children_;
  std::set<std::string> shared_memory_;
  std::vector<std::filesystem::path> directories_;
};

/// State letter and processor time (ticks) of a process' main thread.
struct ProcessLook {
  char state = '?';
  long ticks = -1;
};
ProcessLook look_at(int pid);
bool alive(int pid);

/// A process of our own making: killed and reaped at the end of the scope.
class Child {
 public:
  Child(std::vector<std::string> command, const EnvironmentChanges& environment,
        std::string output_file);
  int pid() const noexcept { return program_->pid(); }
  /// Exit code (128 + signal) or -1 when it still runs at the limit.
  int wait();
  void signal(int number) const { program_->signal(number); }
  std::string output() const;

 private:
  std::string file_;
  std::unique_ptr<Subprocess> program_;
};

/// A job that takes about as long as is wanted: ranks sleep before each message.
JobSpec slow_job(int world_size, double delay_us);

}  // namespace rankscope::test
