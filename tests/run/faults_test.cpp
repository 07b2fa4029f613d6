// Ranks and conductors that die, stop, hang, or are interrupted at any moment.
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/run/job_json.h"
#include "engine/core/trace/trace_file.h"
#include "tests/run/real_run.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

struct TimedSignal {
  Rank rank;
  int signal;
  std::chrono::milliseconds after;
};

JobSpec small_job(int world_size, const std::string& transport) {
  JobSpec spec;
  spec.world.size = world_size;
  spec.transport.name = transport;
  return spec;
}

TraceMeta plain_meta(const JobSpec& spec) {
  TraceMeta meta;
  meta.job = spec;
  meta.world_size = spec.world.size;
  return meta;
}

// A run in which a worker is killed or stopped in the middle.
void send_signal(ProcessRunner& runner, const JobSpec& spec, const TimedSignal& timed_signal,
                 const std::string& file) {
  INFO(fmt::format("rank {} gets signal {} after {} ms ({} over {})", timed_signal.rank,
                   timed_signal.signal, timed_signal.after.count(), spec.call.algorithm,
                   spec.transport.name));
  CollectingSink warm;
  const auto before = runner.run(small_job(spec.world.size, spec.transport.name), warm);
  REQUIRE(before.ok());
  const int victim = before.pids.at(static_cast<std::size_t>(timed_signal.rank));
  REQUIRE(victim > 1);
  Clock::time_point struck;
  TraceWriter writer(file, plain_meta(spec));
  std::thread striker([&] {
    std::this_thread::sleep_for(timed_signal.after);
    struck = Clock::now();
    ::kill(victim, timed_signal.signal);
  });
  const JobResult result = runner.run(spec, writer);
  const auto ended = Clock::now();
  striker.join();
  TraceMeta meta = plain_meta(spec);
  meta.outcome = result;
  meta.lost_events = result.lost_events;
  writer.close(meta);
  INFO(to_json(result));
  CHECK(result.status == JobResult::Status::failed);
  CHECK(std::chrono::duration<double>(ended - struck).count() < 2.0);
  REQUIRE(!result.failures.empty());
  const RankFailure& failure = result.failures.front();
  CHECK(failure.rank == timed_signal.rank);
  CHECK_THAT(failure.what, Contains(timed_signal.signal == SIGKILL ? "was killed by signal 9"
                                                                   : "is stopped by signal 19"));
  CHECK_THAT(failure.where, Contains("engine/collectives/"));
  CHECK_THAT(result.message, Contains(fmt::format("rank {}", timed_signal.rank)) &&
                                 Contains(failure.what) && Contains(failure.where));
  const Trace trace = TraceReader::open(file);
  CHECK(trace.size() == result.events);
  CHECK(trace.issues().damaged_blocks == 0);
  CHECK(children().empty());
}

void strike_often(int times, unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const TemporaryFolder folder;
  const Leftovers before;
  const char* const algorithms[] = {"allreduce.ring", "broadcast.binomial", "reduce.flat",
                                    "allreduce.bde"};
  for (int i = 0; i < times; ++i) {
    ProcessRunner runner(real_workers());
    const int n = pick(2, 6);
    JobSpec spec = slow_job(n, 20'000);
    spec.call.algorithm = algorithms[pick(0, 3)];
    spec.recording.iterations = 50;
    spec.recording.trace_every = true;
    spec.transport.name = pick(0, 2) == 0 ? "tcp" : "ipc";
    if (pick(0, 1) == 0) spec.transport.mode = SendMode::rendezvous;
    send_signal(runner, spec,
                {pick(0, n - 1), pick(0, 1) == 0 ? SIGKILL : SIGSTOP,
                 std::chrono::milliseconds(pick(30, 400))},
                folder / "trace.rankscope");
    // The next run finds new workers.
    CollectingSink sink;
    CHECK(runner.run(small_job(n, "ipc"), sink).ok());
  }
  CHECK(before.found() == "");
}

}  // namespace

TEST_CASE("a worker killed or stopped at any moment is named within two seconds",
          "[run][faults][serial]") {
  strike_often(12, 20'261'121);
}

TEST_CASE("two hundred killed and stopped workers", "[run][faults][full][serial]") {
  strike_often(200, 7);
}

TEST_CASE("a worker that dies between two runs is replaced", "[run][faults]") {
  ProcessRunner runner(real_workers());
  JobSpec spec;
  CollectingSink sink;
  const JobResult first = runner.run(spec, sink);
  REQUIRE(first.ok());
  REQUIRE(first.pids.at(1) > 1);
  ::kill(first.pids[1], GENERATE(SIGKILL, SIGSTOP));
  REQUIRE(eventually([&] {  // until its parent, this process, can know
    siginfo_t seen{};
    constexpr int kLook = WEXITED | WSTOPPED | WNOHANG | WNOWAIT;
    return ::waitid(P_PID, static_cast<id_t>(first.pids[1]), &seen, kLook) == 0 && seen.si_pid != 0;
  }));
  const JobResult second = runner.run(spec, sink);
  INFO(second.message);
  CHECK(second.ok());
  CHECK(second.pids != first.pids);
}

TEST_CASE("a worker program that does not exist or dies at once is a clear error",
          "[run][faults]") {
  const Leftovers before;
  RunnerOptions options;
  CollectingSink sink;
  SECTION("does not exist") {
    options.program = "/nonexistent/rankscope";
    ProcessRunner runner(options);
    CHECK_THROWS_WITH(runner.run({}, sink), Contains("/nonexistent/rankscope"));
  }
  SECTION("dies at once") {
    options.program = "/bin/false";
    ProcessRunner runner(options);
    const JobResult result = runner.run({}, sink);
    CHECK(result.status == JobResult::Status::failed);
    CHECK_THAT(result.message, Contains("exited with code 1 while the ranks were being started"));
    REQUIRE(result.failures.size() == 1);
  }
  CHECK(before.found() == "");
}

TEST_CASE("an interrupt ends the run in order", "[run][faults]") {
  const Leftovers before;
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  {
    RunnerOptions options = real_workers();
    options.interrupt_fd = ends[0];
    ProcessRunner runner(options);
    CollectingSink sink;
    SECTION("in the middle of a run") {
      JobSpec warm;
      const auto pids = runner.run(warm, sink).pids;
      std::thread later([&] {
        std::this_thread::sleep_for(200ms);
        CHECK(::write(ends[1], "x", 1) == 1);
      });
      const auto begin = Clock::now();
      JobSpec spec = slow_job(4, 100'000);
      spec.recording.iterations = 1000;
      const JobResult result = runner.run(spec, sink);
      later.join();
      CHECK(result.status == JobResult::Status::interrupted);
      CHECK(result.ranks.size() == 4);  // all ended in order
      CHECK(result.lost_events == 0);
      CHECK(Clock::now() - begin < 60s);
      char byte = 0;
      CHECK(::read(ends[0], &byte, 1) == 1);
      const JobResult again = runner.run(warm, sink);
      CHECK(again.ok());
      CHECK(again.pids == pids);
    }
    SECTION("while the ranks are being started") {
      CHECK(::write(ends[1], "x", 1) == 1);
      const JobResult result = runner.run({}, sink);
      CHECK(result.status == JobResult::Status::interrupted);
    }
  }
  ::close(ends[0]);
  ::close(ends[1]);
  CHECK(before.found() == "");
}

TEST_CASE("a run that takes too long names every rank's place", "[run][faults]") {
  ProcessRunner runner(real_workers());
  JobSpec spec = slow_job(4, 0);
  spec.world.delays_us[2] = 30e6;
  spec.recording.timeout_s = 0.5;
  CollectingSink sink;
  const JobResult result = runner.run(spec, sink);
  INFO(to_json(result));
  CHECK(result.status == JobResult::Status::timeout);
  CHECK(result.elapsed_s < 5);
  REQUIRE(result.failures.size() == 4);
  for (const auto& failure : result.failures)
    CHECK_THAT(failure.where, Contains("engine/collectives/allreduce_ring.cpp:"));
  spec.world.delays_us.clear();
  CHECK(runner.run(spec, sink).ok());
}

TEST_CASE("a sink that fails ends the run and leaves a usable runner", "[run][faults]") {
  struct FullDisk : EventSink {
    void deliver(EventBatch&&) override { throw UserError("no space left on the device"); }
  } full;
  struct Bug : EventSink {
    void deliver(EventBatch&&) override { throw std::logic_error("a bug"); }
  } bug;
  const Leftovers before;
  {
    ProcessRunner runner(real_workers());
    const JobResult result = runner.run({}, full);
    CHECK(result.status == JobResult::Status::failed);
    CHECK_THAT(result.message, Contains("no space left"));
    CHECK_THROWS_AS(runner.run({}, bug), std::logic_error);
    CollectingSink sink;
    CHECK(runner.run({}, sink).ok());
  }
  CHECK(before.found() == "");
}

// Not a test: a conductor of its own, for the tests below to kill. It tells its workers' ids.
TEST_CASE("a conductor to be killed", "[.conductor]") {
  const char* const transport = std::getenv("CONDUCTOR_TRANSPORT");
  if (transport == nullptr) return;  // run with all other tests
  ProcessRunner runner(real_workers());
  JobSpec spec;
  spec.transport.name = transport;
  CollectingSink sink;
  const JobResult result = runner.run(spec, sink);
  for (const int pid : result.pids) fmt::print("{}\n", pid);
  fmt::print("ready\n");
  std::fflush(stdout);
  JobSpec slow = slow_job(4, 10'000);
  slow.transport.name = spec.transport.name;
  slow.recording.iterations = 1'000;
  if (std::getenv("CONDUCTOR_IDLE") == nullptr) runner.run(slow, sink);
  else std::this_thread::sleep_for(60s);
}

TEST_CASE("workers of a conductor that was killed end by themselves", "[run][faults]") {
  const TemporaryFolder folder;
  const auto own = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<std::pair<std::string, std::string>> environment{
      {"CONDUCTOR_TRANSPORT", GENERATE("ipc", "tcp")}};
  if (GENERATE(false, true)) environment.emplace_back("CONDUCTOR_IDLE", "1");
  Child conductor({own, "a conductor to be killed"}, environment, folder / "out");
  REQUIRE(eventually([&] { return conductor.output().find("ready") != std::string::npos; }));
  std::this_thread::sleep_for(100ms);
  std::vector<int> workers;
  std::istringstream lines(conductor.output());
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && std::isdigit(line[0]) != 0) workers.push_back(std::stoi(line));
  REQUIRE(workers.size() == 4);
  const int pid = conductor.pid();
  CHECK(run_directories(pid).size() == 1);
  conductor.signal(SIGKILL);
  CHECK(conductor.wait() == 128 + SIGKILL);
  for (const int worker : workers) CHECK(eventually([&] { return !alive(worker); }));
  CHECK(eventually([&] { return run_directories(pid).empty(); }));
}

TEST_CASE("runs side by side do not clash", "[run][faults]") {
  const Leftovers before;
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&, i] {
      ProcessRunner runner(real_workers());
      JobSpec spec;
      spec.world.size = 3;
      spec.transport.name = i % 2 == 0 ? "ipc" : "tcp";
      CollectingSink sink;
      for (int k = 0; k < 3; ++k) good += runner.run(spec, sink).ok() ? 1 : 0;
    });
  for (auto& thread : threads) thread.join();
  CHECK(good == 18);
  CHECK(before.found() == "");
}
