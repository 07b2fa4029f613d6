// `rankscope run` from outside: signals to it and to its workers, and what is left behind.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/trace/trace_file.h"
#include "engine/run/conductor/launcher.h"
#include "tests/run/real_run.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

std::vector<int> children_of(int pid) {
  std::vector<int> found;
  std::ifstream in(fmt::format("/proc/{}/task/{}/children", pid, pid));
  for (int child = 0; in >> child;) found.push_back(child);
  return found;
}

/// From the status page that a worker shares with its conductor.
bool is_in_a_collective(int worker) {
  const auto link = fmt::format("/proc/{}/fd/{}", worker, WorkerProcess::kStatusFd);
  std::error_code error;
  const auto target = std::filesystem::read_symlink(link, error).string();
  if (target.find("rankscope-status") == std::string::npos) return false;  // not itself yet
  const SharedStatusPage page(::open(link.c_str(), O_RDWR | O_CLOEXEC));
  return read_status(page.page()).describe().find("engine/collectives/") != std::string::npos;
}

/// A run of four ranks that would take a minute.
class LongCommand {
 public:
  LongCommand()
      : child_({rankscope_binary().string(), "run", "allreduce.ring", "-n", "4", "--iterations",
                "1000", "--delay", "0=20000", "-o", folder_ / "out.rankscope"},
               {{"NO_COLOR", "1"}}, folder_ / "output"),
        pid_(child_.pid()) {
    REQUIRE(eventually([&] { return children_of(pid_).size() == 4; }));
    workers_ = children_of(pid_);
    REQUIRE(workers_.size() == 4);  // they are going to be signalled
    REQUIRE(eventually([&] { return std::ranges::all_of(workers_, is_in_a_collective); }));
  }
  int wait() { return child_.wait(); }
  std::string leftovers() const {
    const auto quiet = [&] {
      return std::ranges::none_of(workers_, alive) && run_directories(pid_).empty();
    };
    return eventually(quiet) ? "" : "processes or directories are left";
  }
  Child& process() { return child_; }
  const std::vector<int>& workers() const { return workers_; }
  std::string trace() const { return folder_ / "out.rankscope"; }

 private:
  TemporaryFolder folder_;
  Child child_;
  const int pid_;
  std::vector<int> workers_;
};

void strike_commands(int times, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < times; ++i) {
    LongCommand run;
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 200));
    const int signal = random() % 2 == 0 ? SIGKILL : SIGSTOP;
    const auto struck = std::chrono::steady_clock::now();
    ::kill(run.workers()[random() % 4], signal);
    const int code = run.wait();
    INFO(run.process().output());
    CHECK(code > 0);
    CHECK(std::chrono::steady_clock::now() - struck < 60s);
    CHECK_THAT(run.process().output(),
               Contains(signal == SIGKILL ? "was killed by signal 9" : "is stopped by signal 19") &&
                   Contains("engine/collectives/"));
    CHECK(TraceReader::open(run.trace()).world_size() == 4);
    CHECK(run.leftovers() == "");
  }
}

}  // namespace

TEST_CASE("rankscope run names a rank that was killed or stopped", "[run][faults][serial]") {
  strike_commands(6, 3);
}

TEST_CASE("rankscope run, two hundred times struck", "[run][faults][full][serial]") {
  strike_commands(200, 4);
}

TEST_CASE("rankscope run ends with 130 when it is interrupted", "[run][faults]") {
  LongCommand run;
  run.process().signal(SIGINT);
  const int code = run.wait();
  INFO(run.process().output());
  CHECK(code == 130);
  CHECK(run.leftovers() == "");
}

TEST_CASE("the workers of a killed rankscope run end by themselves", "[run][faults]") {
  LongCommand run;
  run.process().signal(SIGKILL);
  CHECK(run.wait() == 128 + SIGKILL);
  CHECK(run.leftovers() == "");
}
