// Runs programs in tests, with a time limit and their output captured, and makes temporary folders.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/wait_limit.h"

namespace rankscope::test {

struct Finished {
  int exit_code = -1;  // 128 + signal when a signal ended it
  bool timed_out = false;
  std::string out, err;
  long peak_kib = 0;  // of memory; at least what this process had when it started it
};

// Set in a child's environment, on top of this process's own; an empty value removes a name.
using EnvironmentChanges = std::vector<std::pair<std::string, std::string>>;
// Returns the changes as SubprocessOptions takes them.
std::vector<std::string> environment_lines(const EnvironmentChanges& changes);

struct ProcessOptions {
  std::string input = {};  // its standard input
  EnvironmentChanges environment = {};
  std::string folder = {};  // its working directory; empty: this process's
  std::chrono::milliseconds limit = kWaitLimit;
};

// Runs a program to its end, or kills it at the limit, with all that it started in its process
// group. Started with posix_spawn, so that a threaded test may call it.
Finished run_process(const std::vector<std::string>& command, const ProcessOptions& options = {});

// Runs the built `rankscope`, without colours and in a UTF-8 locale unless the options say otherwise.
Finished run_rankscope(const std::vector<std::string>& arguments, ProcessOptions options = {});

// Polls a condition; returns whether it holds within the limit.
bool eventually(const std::function<bool()>& condition,
                std::chrono::milliseconds limit = kWaitLimit);

// A fresh folder, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const noexcept { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace rankscope::test
