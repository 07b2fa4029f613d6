// Jobs in virtual time: results, traces, topologies, deadlocks, failures, and what is refused.
#include "engine/run/sim/sim_runner.h"

#include <thread>

#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/run/job/job_fields.h"
#include "engine/run/make_runner.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"
#include "transports/sim/fiber_sanitizers.h"

using namespace rankscope;
using Catch::Matchers::Contains;

namespace {

JobSpec sim_spec(std::string_view algorithm, int ranks) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.world.size = ranks;
  spec.call.shape = {1000};
  spec.transport.name = kSimTransport;
  return spec;
}

JobResult simulated(const JobSpec& spec) {
  NoEvents nowhere;
  return make_runner(spec.transport.name)->run(spec, nowhere);
}

std::string refusal_of(const JobSpec& spec) {
  try {
    simulated(spec);
  } catch (const UserError& e) {
    return e.what();
  }
  return "nothing was refused";
}

/// Every rank waits for the one before it.
RankOutcome waits_in_a_circle(RankContext& context, const JobSpec& spec, std::uint32_t epoch) {
  RankOutcome outcome;
  outcome.rank = context.rank();
  context.begin_job(epoch, {});
  try {
    Communicator comm(context);
    Buffer into = Buffer::allocate(DType::int32, 1);
    comm.recv((comm.rank() + spec.world.size - 1) % spec.world.size, into);
    outcome.ok = true;
  } catch (const std::exception& e) {
    outcome.error = e.what();
  }
  return outcome;
}

}  // namespace

TEST_CASE("a job runs in virtual time and is compared with the oracle", "[sim]") {
  for (const char* algorithm : {"allreduce.ring", "broadcast.binomial", "allreduce.bucketed"}) {
    const JobResult result = simulated(sim_spec(algorithm, 6));
    CAPTURE(algorithm, result.message);
    REQUIRE(result.ok());
    CHECK(result.ranks.size() == 6);
    CHECK(result.ranks.front().checked);
  }
  // 10 messages of 167 elements at the most; times are whole nanoseconds.
  CHECK(simulated(sim_spec("allreduce.ring", 6)).times_s().front() ==
        Approx(10 * (5e-6 + 668e-10)).margin(2e-9));
}

TEST_CASE("a simulated job leaves the same trace each time", "[sim]") {
  const auto events = [] {
    JobSpec spec = sim_spec("allreduce.hierarchical", 8);
    spec.network.topology = "fat-tree";
    spec.network.jitter = 0.2;
    CollectingSink sink;
    REQUIRE(SimRunner().run(spec, sink).ok());
    std::vector<std::tuple<Rank, std::uint32_t, EventKind, Verb, OpId, std::int64_t, std::int64_t>>
        out;
    for (const EventBatch& batch : sink.take())
      for (const StepEvent& e : batch.events)
        out.emplace_back(e.rank, e.seq, e.kind, e.verb, e.op, e.begin_ns, e.time_ns);
    return out;
  };
  const auto first = events();
  CHECK(first.size() > 100);
  CHECK(first == events());
}

TEST_CASE("a job without data is not checked, and takes as long", "[sim]") {
  JobSpec spec = sim_spec("allreduce.rabenseifner", 7);
  const auto with_data = simulated(spec).times_s();
  spec.network.ghost = true;
  const JobResult ghost = simulated(spec);
  REQUIRE(ghost.ok());
  CHECK_FALSE(ghost.ranks.front().checked);
  CHECK(ghost.times_s() == with_data);
}

TEST_CASE("a simulated deadlock is reported with its cycle", "[sim]") {
  RunnerOptions options;
  options.part = waits_in_a_circle;
  NoEvents nowhere;
  const JobResult result = SimRunner(options).run(sim_spec("allreduce.ring", 3), nowhere);
  CHECK(result.status == JobResult::Status::deadlock);
  REQUIRE(result.deadlock);
  CHECK_THAT(result.deadlock->headline, Contains("deadlock"));
  CHECK_THAT(result.message, Contains("sim_runner_test.cpp"));
  CHECK(result.failures.size() == 3);
}

TEST_CASE("a rank that breaks, and a link, end a simulated job", "[sim]") {
  JobSpec spec = sim_spec("allreduce.ring", 4);
  spec.network.failures = "rank2@12us";
  const JobResult rank = simulated(spec);
  CHECK(rank.status == JobResult::Status::failed);
  REQUIRE(rank.failures.size() == 1);
  CHECK(rank.failures.front().rank == 2);
  spec.network.failures = "link0@2us";
  spec.network.topology = "star";
  spec.call.shape = {1 << 20};
  const JobResult link = simulated(spec);
  CHECK(link.status == JobResult::Status::failed);
  CHECK_THAT(link.message, Contains("was lost"));
}

TEST_CASE("a delay before messages takes virtual time", "[sim]") {
  JobSpec spec = sim_spec("p2p.sendrecv", 2);
  const double usual = simulated(spec).times_s().front();
  spec.world.delays_us = {0, 1000};
  CHECK(simulated(spec).times_s().front() > usual + 1e-3);
}

TEST_CASE("an interrupt ends a simulated job, whose ranks may be left as they are", "[sim]") {
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], "!", 1) == 1);
  for (const bool process_ends : {false, true}) {
    JobSpec spec = sim_spec("allreduce.ring", 200);
    spec.network.ghost = true;
    spec.recording.iterations = 100;
    RunnerOptions options;
    options.interrupt_fd = ends[0];
    options.process_ends = process_ends;
    SimRunner runner(std::move(options));
    NoEvents nowhere;
    const JobResult result = runner.run(spec, nowhere);
    CHECK(result.status == JobResult::Status::interrupted);
    CHECK(result.ranks.size() == (process_ends && !kLostMemoryIsReported ? 0 : 200));
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("a simulated job may take longer than its time-out as long as messages come", "[sim]") {
  struct SlowSink : EventSink {
    void deliver(EventBatch&&) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  } sink;
  JobSpec spec = sim_spec("allreduce.ring", 8);
  spec.recording.timeout_s = 0.2;
  spec.recording.trace = TraceLevel::light;
  spec.recording.trace_every = true;
  spec.recording.iterations = 100;
  const auto begin = Clock::now();
  const JobResult result = SimRunner(RunnerOptions{}).run(spec, sink);
  CAPTURE(result.message);
  CHECK(result.ok());
  CHECK(Clock::now() - begin > std::chrono::milliseconds(300));  // else this shows nothing
}

TEST_CASE("what a simulated network cannot be is refused with what to do", "[sim]") {
  JobSpec spec = sim_spec("allreduce.ring", 4);
  spec.network.topology = "fat-treee";
  CHECK_THAT(refusal_of(spec), Contains("fat-tree"));
  spec.network.topology = "star";
  spec.world.size = 1000;
  CHECK_THAT(refusal_of(spec), Contains("choose a larger one"));
  spec.world.size = 4;
  spec.network.alpha_s = 1;
  CHECK_THAT(refusal_of(spec), Contains("[model]"));
  spec = sim_spec("allreduce.ring", 4);
  spec.network.slow_ranks = "4=2";
  CHECK_THAT(refusal_of(spec), Contains("rank 4 does not exist"));
  spec.network.slow_ranks = "two";
  CHECK_THAT(refusal_of(spec), Contains("write 2=10"));
  spec.network.slow_ranks = "";
  spec.network.failures = "rank1";
  CHECK_THAT(refusal_of(spec), Contains("rank2@5ms"));
  spec.network.failures = "link1@5ms";
  CHECK_THAT(refusal_of(spec), Contains("no links to fail"));
  spec = sim_spec("allreduce.ring", 4);
  spec.transport.name = kThreadTransport;
  spec.network.ghost = true;
  CHECK_THAT(refusal_of(spec), Contains("choose the transport sim"));
}
