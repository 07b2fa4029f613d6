// Ranks that die at any moment while they read and write memory that they share.
#include <algorithm>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "engine/core/run/job_json.h"
#include "tests/run/real_run.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;

namespace {

JobSpec busy_job(int world_size, const std::string& algorithm, Count count) {
  JobSpec spec;
  spec.world.size = world_size;
  spec.call.algorithm = algorithm;
  spec.transport.name = "shm";
  spec.call.shape = {count};
  spec.recording.iterations = 1'000'000;  // until it is struck
  spec.data.check = false;
  spec.recording.trace = TraceLevel::off;
  return spec;
}

std::set<int> ranks_under(int pid) {
  std::set<int> found;
  std::error_code ignored;
  for (const auto& task :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), ignored)) {
    std::ifstream in(task.path() / "children");
    for (int child = 0; in >> child;) found.insert(child);
  }
  return found;
}

// At full speed, so that most are struck within a queue, a copy or a reduction.
void kill_often(int times, unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const char* const algorithms[] = {"allreduce.two_shot", "allreduce.one_shot", "allreduce.ring",
                                    "broadcast.knomial",  "alltoall.linear",    "allreduce.flat"};
  constexpr Count kCounts[] = {2, 1000, 40'000, 1'000'000};
  const Leftovers before;
  ProcessRunner runner(real_workers());
  for (int i = 0; i < times; ++i) {
    const int n = pick(2, 6);
    JobSpec spec = busy_job(n, algorithms[pick(0, 5)], kCounts[pick(0, 3)]);
    if (pick(0, 3) == 0) spec.transport.mode = SendMode::rendezvous;
    JobSpec warm = spec;
    warm.recording.iterations = 1;
    warm.data.check = true;
    NoEvents nowhere;
    const JobResult first = runner.run(warm, nowhere);
    INFO(fmt::format("kill {}: {}", i, to_json(spec)));
    INFO(to_json(first));
    REQUIRE(first.ok());
    const Rank victim = pick(0, n - 1);
    const int pid = first.pids.at(static_cast<std::size_t>(victim));
    REQUIRE(pid > 1);
    const auto delay = std::chrono::microseconds(pick(0, 60'000));
    std::thread striker([&] {
      std::this_thread::sleep_for(delay);
      ::kill(pid, SIGKILL);
    });
    const auto begin = Clock::now();
    const JobResult result = runner.run(spec, nowhere);
    striker.join();
    INFO(to_json(result));
    CHECK(result.status == JobResult::Status::failed);
    CHECK(Clock::now() - begin < 30s);
    REQUIRE(!result.failures.empty());
    CHECK(result.failures.front().rank == victim);
    CHECK_THAT(result.failures.front().what, ContainsSubstring("was killed by signal 9"));
    CHECK_THAT(result.message,
               ContainsSubstring(fmt::format("rank {} was killed by signal 9", victim)));
    CHECK(children().empty());
  }
  CHECK(before.found() == "");
}

}  // namespace

TEST_CASE("ranks killed while they share memory are named, and leave nothing",
          "[run][shm][serial]") {
  kill_often(8, 20'261'126);
}

TEST_CASE("two hundred ranks killed while they share memory", "[run][shm][full][serial]") {
  kill_often(200, 22);
}

TEST_CASE("a killed rank over shared memory ends the command as over ipc", "[run][shm]") {
  const Leftovers before;
  const TemporaryFolder folder;
  Child run(
      {rankscope_binary().string(), "run", "allreduce.two_shot", "-n", "4", "--transport", "shm",
       "--count", "1000", "--iterations", "1000000", "--no-check", "-o", folder / "x.rankscope"},
      {}, folder / "output");
  std::set<int> ranks;
  REQUIRE(eventually([&] {
    ranks = ranks_under(run.pid());
    return ranks.size() == 4;
  }));
  std::this_thread::sleep_for(300ms);
  ::kill(*ranks.rbegin(), SIGKILL);
  CHECK(run.wait() == 1);
  CHECK_THAT(run.output(), ContainsSubstring("was killed by signal 9"));
  CHECK(before.found() == "");
}

TEST_CASE("a conductor that is killed takes its ranks and their memory along", "[run][shm]") {
  const Leftovers before;
  const TemporaryFolder folder;
  Child run(
      {rankscope_binary().string(), "run", "allreduce.two_shot", "-n", "4", "--transport", "shm",
       "--count", "100000", "--iterations", "1000000", "--no-check", "-o", folder / "x.rankscope"},
      {}, folder / "output");
  std::set<int> ranks;
  REQUIRE(eventually([&] {
    ranks = ranks_under(run.pid());
    return ranks.size() == 4;
  }));
  std::this_thread::sleep_for(300ms);
  run.signal(SIGKILL);
  CHECK(run.wait() == 128 + SIGKILL);
  CHECK(eventually([&] { return std::ranges::none_of(ranks, alive); }));
  CHECK(before.found() == "");
}
