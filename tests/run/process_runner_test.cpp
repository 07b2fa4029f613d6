// A run on eight worker processes delivers every event.
#include "engine/run/conductor/process_runner.h"

#include "engine/core/base/error.h"
#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "engine/core/run/job_json.h"
#include "engine/run/make_runner.h"
#include "tests/run/real_run.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using test::real_workers;

TEST_CASE("eight processes run a ring allreduce and every event arrives", "[run]") {
  ProcessRunner runner(real_workers());
  JobSpec spec;
  spec.world.size = 8;
  spec.transport.name = GENERATE("ipc", "tcp");
  CollectingSink sink;
  const JobResult result = runner.run(spec, sink);
  INFO(to_json(result));
  REQUIRE(result.ok());
  CHECK(result.ranks.size() == 8);
  CHECK(result.lost_events == 0);
  std::uint64_t events = 0, sends = 0;
  for (const auto& batch : sink.take())
    for (const auto& event : batch.events) {
      ++events;
      sends += event.kind == EventKind::posted && event.verb == Verb::send ? 1 : 0;
    }
  CHECK(events == result.events);
  CHECK(sends == 8 * 14);
  SECTION("and again on the same workers") {
    const JobResult again = runner.run(spec, sink);
    REQUIRE(again.ok());
    CHECK(again.pids == result.pids);
  }
}

TEST_CASE("the rank whose error ended a run is named, whatever the others say after that",
          "[run]") {
  JobSpec spec;
  spec.world.size = 3;
  spec.transport.name = "inproc";
  RunnerOptions options;
  options.part = [](RankContext& rank, const JobSpec&, std::uint32_t epoch) {
    RankOutcome outcome;
    outcome.rank = rank.rank();
    rank.begin_job(epoch, {});
    if (rank.rank() == 2) {
      outcome.error = "ValueError: the first";
      return outcome;
    }
    try {
      Communicator comm(rank);
      Buffer data = Buffer::allocate(DType::float32, 1);
      comm.recv(2, data);
    } catch (const std::exception&) {
      outcome.error = "KeyError: only because it was stopped";
    }
    return outcome;
  };
  NoEvents nobody;
  const JobResult result = make_runner("inproc", std::move(options))->run(spec, nobody);
  CHECK(result.status == JobResult::Status::failed);
  CHECK(result.failed_rank == 2);
  CHECK(result.message == "ValueError: the first");
  CHECK(result.ranks.size() == 3);
}
