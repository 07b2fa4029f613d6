// Ranks that wait for each other, on processes and on threads, are named; slow ones never are.
#include "engine/run/conductor/deadlock.h"

#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/job.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using namespace rankscope::test;
using Catch::Matchers::Contains;

namespace {

/// A `rankscope` that knows the faulty algorithms too; built beside this program.
std::string faulty_rankscope() {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
  return own.parent_path() / "rankscope_faulty";
}

JobSpec job_of(const std::string& algorithm, int ranks, const std::string& transport) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.world.size = ranks;
  spec.transport.name = transport;
  spec.data.check = false;
  spec.recording.timeout_s = 30;
  return spec;
}

RunnerOptions faulty_workers() {
  RunnerOptions options;
  options.program = faulty_rankscope();
  return options;
}

struct Ended {
  JobResult result;
  Trace trace;
};

Ended run(Runner& runner, const JobSpec& spec) {
  CollectingSink sink;
  Ended ended;
  TraceMeta meta = meta_of(spec);
  ended.result = runner.run(spec, sink);
  add_outcome(meta, runner, ended.result);
  ended.trace = make_trace(sink.take(), meta);
  return ended;
}

Ended run(const JobSpec& spec) {
  if (spec.transport.name == "inproc") {
    InprocRunner runner;
    return run(runner, spec);
  }
  ProcessRunner runner(faulty_workers());
  return run(runner, spec);
}

}  // namespace

TEST_CASE("a circle keeps its waits where messages went to other ranks", "[deadlock]") {
  constexpr Rank kRanks = 4;
  std::vector<std::optional<Standstill>> reports(kRanks);
  for (Rank rank = 0; rank < kRanks; ++rank) {
    Standstill& report = reports[static_cast<std::size_t>(rank)].emplace();
    report.rank = rank;
    RankView view;
    view.rank = rank;
    view.state = RankView::State::blocked;
    view.verb = Verb::recv;
    view.peer = (rank + 1) % kRanks;
    view.file = "ring.cpp";
    view.line = 9;
    report.views.push_back(view);
  }
  for (const auto& [from, to] : {std::pair{0, 1}, {1, 3}, {2, 3}, {3, 1}})
    reports[static_cast<std::size_t>(to)]->unreceived.push_back({0, from, 0, 8});
  const Deadlock found = explain_deadlock(reports, "native");
  CHECK(found.cycle == std::vector<Rank>{0, 1, 2, 3});
  CHECK_THAT(found.text.what, Contains("rank 3 receives from rank 0 at ring.cpp:9"));
}

TEST_CASE("ranks that wait for each other are named with their lines", "[deadlock]") {
  const std::string transport = GENERATE("ipc", "tcp", "inproc");
  const auto message_of = [&](const std::string& algorithm, int ranks,
                              SendMode mode = SendMode::buffered) {
    JobSpec spec = job_of(algorithm, ranks, transport);
    spec.transport.mode = mode;
    const JobResult result = run(spec).result;
    INFO(transport << " " << algorithm << ": " << result.message);
    CHECK(result.status == JobResult::Status::deadlock);
    CHECK(result.elapsed_s < 10);
    CHECK_THAT(result.message, Contains("deadlock: ") && Contains("faulty.cpp:"));
    REQUIRE(result.deadlock);
    CHECK(result.deadlock->message() == result.message);
    CHECK(result.deadlock->what.starts_with(result.deadlock->headline + ": rank "));
    CHECK(result.deadlock->headline.find(".cpp") == std::string::npos);
    for (const RankFailure& failure : result.failures)
      CHECK_THAT(failure.where, Contains("faulty.cpp:"));
    return std::pair(result.message, result.failures.size());
  };
  const auto [two, waiting] = message_of("fault.recv_first", 2);
  CHECK_THAT(two, Contains("ranks 0 and 1 wait for each other: rank 0 receives from rank 1 at") &&
                      Contains("rank 1 receives from rank 0 at") &&
                      Contains("has to send before it receives"));
  CHECK(waiting == 2);
  CHECK_THAT(message_of("fault.recv_first", 5).first,
             Contains("5 ranks wait for each other in a circle (0 -> 4 -> 3 -> 2 -> 1 -> 0)"));
  CHECK_THAT(message_of("fault.recv_first", 1).first, Contains("rank 0 waits for itself"));
  CHECK_THAT(message_of("fault.send_ring", 3, SendMode::rendezvous).first,
             Contains("(0 -> 1 -> 2 -> 0)") && Contains("sends to rank 1") &&
                 Contains("then recv, and then wait"));
  const auto [returned, left] = message_of("fault.from_returned", 3);
  CHECK_THAT(returned, Contains("rank 0 waits for rank 1, which has ended") &&
                           Contains("receives from rank 1 with tag 3"));
  CHECK(left == 1);
  CHECK_THAT(message_of("fault.tag_mismatch", 2).first,
             Contains("from rank 0 to rank 1 has tag 4") && Contains("takes tag 5 only"));
  const auto [part, all] = message_of("fault.part_cycle", 4);
  CHECK_THAT(part, Contains("ranks 0 and 1 wait for each other") &&
                       Contains("2 more ranks wait for these"));
  CHECK(all == 4);
  CHECK_THAT(message_of("fault.nobody_sends", 3).first, Contains("nobody is left who could send"));
  CHECK_THAT(message_of("fault.strands", 2).first, Contains("ranks 0 and 1 wait for each other"));
}

TEST_CASE("a world whose ranks waited for each other goes on", "[deadlock]") {
  ProcessRunner runner(faulty_workers());
  const Ended bad = run(runner, job_of("fault.recv_first", 4, "ipc"));
  CHECK_THAT(bad.result.message, Contains("deadlock"));
  CHECK(bad.result.ranks.size() == 4);
  CHECK(bad.result.lost_events == 0);
  CHECK(bad.trace.meta().complete);
  CHECK(bad.trace.size() == bad.result.events);
  JobSpec good = job_of("allreduce.ring", 4, "ipc");
  good.data.check = true;
  const Ended after = run(runner, good);
  CHECK(after.result.ok());
  CHECK(after.result.pids == bad.result.pids);
}

TEST_CASE("a rank that computes, polls or is delayed is no deadlock", "[deadlock]") {
  const std::string transport = GENERATE("ipc", "inproc");
  JobSpec slow = job_of("fault.compute", 4, transport);
  slow.call.segment_bytes = 3'000;
  CHECK(run(slow).result.ok());
  JobSpec polling = job_of("fault.poll", 3, transport);
  polling.call.segment_bytes = 1'000;
  CHECK(run(polling).result.ok());
  JobSpec delayed = job_of("allreduce.ring", 4, transport);
  delayed.data.check = true;
  delayed.world.delays_us = {0, 0, 400e3};
  CHECK(run(delayed).result.ok());
  delayed.transport.mode = SendMode::rendezvous;
  delayed.world.delays_us = {150e3, 0, 0, 90e3};
  CHECK(run(delayed).result.ok());
}

TEST_CASE("`rankscope run` of a deadlock ends with code 1 and a whole trace", "[deadlock]") {
  const TemporaryFolder folder;
  const auto ended = run_process({faulty_rankscope(), "run", "fault.recv_first", "--ranks", "2",
                                  "-o", folder / "t.rankscope"});
  INFO(ended.out << ended.err);
  CHECK(ended.exit_code == 1);
  CHECK_THAT(ended.out + ended.err, Contains("ranks 0 and 1 wait for each other"));
  const Trace trace = TraceReader::open(folder / "t.rankscope");
  CHECK(trace.meta().complete);
  REQUIRE(trace.meta().outcome);
  CHECK(trace.meta().outcome->status == JobResult::Status::deadlock);
}

TEST_CASE("ranks that joined over the network take part in the search for deadlocks",
          "[deadlock]") {
  const TemporaryFolder folder;
  const std::string key = folder / "run.key";
  RunnerOptions options;
  options.join = "tcp://127.0.0.1:0";
  options.key_file = key;
  options.start_timeout_s = 30;
  std::vector<std::thread> workers;
  for (int rank = 0; rank < 3; ++rank)
    workers.emplace_back([&] {
      for (const auto limit = Deadline::in(kWaitLimit);
           !std::filesystem::exists(key) && !limit.passed();)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      run_process({faulty_rankscope(), "worker", "--key-file", key});
    });
  {
    ProcessRunner runner(options);
    const Ended ended = run(runner, job_of("fault.recv_first", 3, "tcp"));
    INFO(ended.result.message);
    CHECK(ended.result.status == JobResult::Status::deadlock);
    CHECK_THAT(ended.result.message, Contains("(0 -> 2 -> 1 -> 0)"));
    CHECK(run(runner, job_of("allreduce.ring", 3, "tcp")).result.ok());
  }
  for (auto& worker : workers) worker.join();
}
