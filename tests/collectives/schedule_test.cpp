// Tables of moves: parsing, errors, results, and traces of wrong tables.
#include "engine/collectives/schedule.h"

#include <set>

#include "engine/account/follow_events.h"
#include "engine/account/pieces.h"
#include "engine/analysis/trace_analysis.h"
#include "engine/core/base/error.h"
#include "engine/core/run/job_json.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/given_values.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using test::has;

namespace {

std::string complaint(std::string_view text, int world_size = 4) {
  try {
    check_schedule(parse_schedule(text), world_size);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}
JobSpec scheduled_job(std::string_view algorithm, std::string_view values,
                      std::string_view schedule) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.transport.name = "inproc";
  spec.call.dtype = DType::int32;
  spec.recording.timeout_s = 20;
  give_values(spec, values);
  spec.world.size = static_cast<int>(spec.data.values.size());
  spec.call.schedule = schedule;
  return spec;
}

JobResult result_of(const JobSpec& spec) {
  CollectingSink sink;
  return InprocRunner().run(spec, sink);
}

// Both send modes: with rendezvous memory is lent until the receiver has taken it.
void check_right(JobSpec spec) {
  for (const auto mode : {SendMode::buffered, SendMode::rendezvous}) {
    spec.transport.mode = mode;
    const JobResult result = result_of(spec);
    INFO(to_json(spec) << to_json(result));
    CHECK(result.ok());
  }
}

std::string ring(int n, bool wrong_last = false) {
  Schedule schedule;
  for (int step = 1; step <= 2 * (n - 1); ++step)
    for (Rank r = 0; r < n; ++r)
      schedule.moves.push_back({step, r, wrap(r + 1, n), wrap(r - step + 1, n), step < n});
  if (wrong_last) schedule.moves.pop_back();
  return to_text(schedule);
}

}  // namespace

TEST_CASE("a schedule's text is read and written", "[collectives][schedule]") {
  const Schedule schedule = parse_schedule(
      "# a comment\n"
      "chunks 3\n"
      " 1: 0 -> 1 chunk 0 add; 1:1->0 chunk 2 keep  # beside it\n"
      "\n"
      "2: 3 → 0 all keep;\r\n");
  CHECK(schedule.chunks == 3);
  REQUIRE(schedule.moves.size() == 3);
  CHECK(schedule.moves[0] == ScheduleMove{1, 0, 1, 0, true});
  CHECK(schedule.moves[1] == ScheduleMove{1, 1, 0, 2, false});
  CHECK(schedule.moves[2] == ScheduleMove{2, 3, 0, ScheduleMove::kWhole, false});
  CHECK(parse_schedule(to_text(schedule)) == schedule);
  CHECK(parse_schedule("").moves.empty());
  CHECK(parse_schedule("").chunks_for(5) == 5);
}

TEST_CASE("a schedule's errors say where and what", "[collectives][schedule]") {
  CHECK(complaint("1: 0 -> 1 chunk 0 add").empty());
  const auto says = [](std::string_view text, std::string_view place, std::string_view what) {
    const auto message = complaint(text);
    INFO(text << " gives: " << message);
    CHECK(has(message, place));
    CHECK(has(message, what));
  };
  says("1: 0 -> 1 all add\n2: 0 > 1 all add", "line 2", "\"->\" is missing");
  says("1: 0 -> 1 all add; 2: 0 -> x all add", "line 1, move 2", "receiving rank");
  says("0: 0 -> 1 all add", "line 1", "the step must be 1 to");
  says("one: 0 -> 1 all add", "line 1", "the step should be a number");
  says("1 0 -> 1 all add", "line 1", "\":\" is missing");
  says("1: 0 -> 1 add", "line 1", "say what is sent");
  says("1: 0 -> 1 chunk add", "line 1", "the chunk should be a number");
  says("1: 0 -> 1 chunk 1", "line 1", "\"add\" or \"keep\"");
  says("1: 0 -> 1 chunk 1 add 2", "line 1", "after the move");
  says("1: 99999999999 -> 1 chunk 1 add", "line 1", "the sending rank must be");
  says("chunks 0", "line 1", "number of chunks must be 1");
  says("chunks 2\nchunks 2", "line 2", "said before");
  says("1: 0 -> 4 all add", "1: 0 -> 4 all add", "there is no rank 4 (0 to 3)");
  says("1: 2 -> 2 all add", "1: 2 -> 2 all add", "sends to itself");
  says("1: 0 -> 1 chunk 4 add", "chunk 4", "there is no chunk 4 (0 to 3)");
  CHECK(complaint("chunks 5; 1: 0 -> 1 chunk 4 add").empty());
}

TEST_CASE("right schedules give right results", "[collectives][schedule]") {
  check_right(scheduled_job("allreduce.schedule", "5,3,7,2", ring(4)));
  check_right(scheduled_job("allreduce.schedule", "1,2,3,4,5", ring(5)));
  check_right(scheduled_job("reduce.schedule", "5,3,7", "1: 1 -> 0 all add; 2: 2 -> 0 all add"));
  check_right(scheduled_job("broadcast.schedule", "5,3,7,2",
                            "1: 0 -> 2 all keep\n2: 0 -> 1 all keep\n2: 2 -> 3 all keep"));
  check_right(
      scheduled_job("allgather.schedule", "1,2;3,4;5,6",
                    "1: 0 -> 1 chunk 0 keep; 1: 1 -> 2 chunk 1 keep; 1: 2 -> 0 chunk 2 keep\n"
                    "2: 0 -> 1 chunk 2 keep; 2: 1 -> 2 chunk 0 keep; 2: 2 -> 0 chunk 1 keep"));
  check_right(scheduled_job("gather.schedule", "1,2;3,4", "1: 1 -> 0 chunk 1 keep"));
  check_right(scheduled_job("reduce_scatter.schedule", "1,2;3,4",
                            "1: 0 -> 1 chunk 1 add; 1: 1 -> 0 chunk 0 add"));
  check_right(scheduled_job("allreduce.schedule", "7", "# one rank alone\n"));
  JobSpec average =
      scheduled_job("allreduce.schedule", "2,4", "1: 0 -> 1 all add; 2: 1 -> 0 all keep");
  average.call.op = ReduceOp::avg;
  check_right(average);
}

// The whole buffers cross: each must send what it held when the step began.
TEST_CASE("ranks that exchange a chunk in one step send the old values",
          "[collectives][schedule]") {
  JobSpec spec = scheduled_job("allreduce.schedule", "5,3", "1: 0 -> 1 all add; 1: 1 -> 0 all add");
  spec.call.shape = {100'000};
  for (int i = 0; i < 10; ++i) check_right(spec);
  check_right(
      scheduled_job("allreduce.schedule", "1,2,3,4",
                    "1: 0 -> 1 all add; 1: 1 -> 0 chunk 0 add; 1: 1 -> 0 chunk 1 add\n"
                    "1: 1 -> 0 chunk 2 add; 1: 1 -> 0 chunk 3 add; 1: 2 -> 3 all add\n"
                    "1: 3 -> 2 all add; 2: 0 -> 2 all add; 2: 2 -> 0 all add; 2: 1 -> 3 all add\n"
                    "2: 3 -> 1 all add"));
}

TEST_CASE("a wrong schedule gives a wrong result and never hangs", "[collectives][schedule]") {
  const auto message = [](const JobSpec& spec) {
    const JobResult result = result_of(spec);
    INFO(to_json(spec) << to_json(result));
    CHECK(result.status == JobResult::Status::wrong_result);
    return result.message;
  };
  // The last message of the ring is missing: rank 0 has its own partial sum of chunk 1 there.
  JobSpec spec = scheduled_job("allreduce.schedule", "5,3,7,2", ring(4, true));
  spec.call.shape = {4};
  CHECK(has(message(spec), "rank 0: element 2 is"));
  // Rank 1 counted twice.
  CHECK(message(scheduled_job("reduce.schedule", "5,3", "1: 1 -> 0 all add; 2: 1 -> 0 all add")) ==
        "rank 0: element 0 is 11, it should be 8");
  // Nothing is sent.
  CHECK(message(scheduled_job("broadcast.schedule", "5,3", "# nothing\n")) ==
        "rank 1: element 0 is 3, it should be 5");
  // Everybody to everybody at once, again and again, with rendezvous.
  Schedule storm;
  for (int step = 1; step <= 5; ++step)
    for (Rank from = 0; from < 4; ++from)
      for (Rank to = 0; to < 4; ++to)
        if (from != to)
          storm.moves.push_back({step, from, to, (from + to + step) % 4, step % 2 == 0});
  spec = scheduled_job("allreduce.schedule", "5,3,7,2", to_text(storm));
  spec.transport.mode = SendMode::rendezvous;
  message(spec);
}

// What a student sees: rank 1's data twice, and rank 2's not at all.
TEST_CASE("the trace of a wrong schedule shows what is missing and what is there twice",
          "[collectives][schedule]") {
  const JobSpec spec =
      scheduled_job("reduce.schedule", "5,3,7", "1: 1 -> 0 all add; 2: 1 -> 0 all add");
  CollectingSink sink;
  CHECK(InprocRunner().run(spec, sink).status == JobResult::Status::wrong_result);
  TraceMeta meta;
  meta.algorithm = spec.call.algorithm;
  meta.collective = require_algorithm(spec.call.algorithm).collective;
  meta.world_size = spec.world.size;
  meta.job = spec;
  const Trace trace = make_trace(sink.take(), meta);
  const auto* data = Pieces(trace).data(0);
  REQUIRE(data != nullptr);
  const auto map = TraceAnalysis(trace).contributions().of(data->id, trace.size());
  REQUIRE(map.size() == 1);
  CHECK(map[0].shares.text() == "r0+2·r1");
  CHECK_FALSE(map[0].shares.complete(3));
  std::set<std::string> phases;
  for (const auto& phase : trace.definitions(Definition::Kind::phase)) phases.insert(phase.name);
  CHECK(phases == std::set<std::string>{"step 1", "step 2"});
}

TEST_CASE("a job's schedule is checked before it runs and goes through JSON",
          "[collectives][schedule]") {
  JobSpec spec =
      scheduled_job("allreduce.schedule", "5,3", "1: 0 -> 1 all add; 2: 1 -> 0 all keep");
  CHECK(job_from_json(to_json(spec)).call.schedule == spec.call.schedule);
  CHECK_NOTHROW(validate(spec));
  spec.call.schedule = "1: 0 -> 2 all add";
  CHECK_THROWS_WITH(validate(spec), Catch::Contains("no rank 2"));
  spec.call.schedule.clear();
  CHECK_THROWS_WITH(validate(spec), Catch::Contains("give a schedule"));
  spec = scheduled_job("allreduce.ring", "5,3", "1: 0 -> 1 all add");
  CHECK_THROWS_WITH(validate(spec), Catch::Contains("runs no schedule"));
  for (const auto& algorithm : algorithms()) CHECK_FALSE(runs_schedule(algorithm));
  for (const auto& algorithm : schedule_algorithms()) {
    CHECK(runs_schedule(algorithm));
    CHECK(find_algorithm(algorithm.name) == &algorithm);
  }
}
