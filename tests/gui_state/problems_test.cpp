// The list of problems for all kinds of failed runs.
#include "gui/state/run/problems.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/run/job_json.h"
#include "engine/run/job/execute.h"
#include "gui/state/run/session.h"
#include "lessons/grading/run_worth.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"
#include "tests/support/runs.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;
using Severity = Problem::Severity;
using Status = JobResult::Status;

namespace {

JobResult result_of(Status status, std::string message = {}) {
  JobResult result;
  result.status = status;
  result.message = std::move(message);
  return result;
}

/// A trace whose second message nobody receives.
Trace trace_with_unreceived() {
  TraceMeta meta;
  meta.world_size = 2;
  meta.complete = true;
  return make_trace(record(2,
                           [](Communicator& comm) {
                             std::vector<std::int32_t> values(4);
                             Buffer data = Buffer::of(values);
                             if (comm.rank() == 0) comm.send(1, data.all());
                           }),
                    meta);
}

}  // namespace

TEST_CASE("problems: of a good run there are none", "[gui_state]") {
  const auto document = Document::make(trace_of_algorithm("allreduce.ring", 4), "");
  CHECK(problems_of({}, nullptr).empty());
  CHECK(problems_of({}, document.get()).empty());
  CHECK(problems_of(result_of(Status::ok), document.get()).empty());
}

TEST_CASE("problems: a dead rank", "[gui_state]") {
  auto result = result_of(Status::failed, "rank 2 was killed by signal 9 (Killed)");
  result.failures = {{2, "was killed by signal 9 (Killed)", "blocked in recv from rank 1", 12}};
  result.lost_events = 12;
  result.events = 88;
  const auto problems = problems_of(result, nullptr);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].severity == Severity::error);
  CHECK(problems[0].rank == 2);
  CHECK(problems[0].what == "rank 2 was killed by signal 9 (Killed)");
  CHECK(problems[0].where == "blocked in recv from rank 1");
  CHECK_THAT(problems[0].advice, ContainsSubstring("12 events"));
  REQUIRE(problems[0].follows.size() == 1);
  CHECK(problems[0].follows[0].severity == Severity::warning);
  CHECK(problems[0].follows[0].what == "12 events of 100 were lost");
}

TEST_CASE("problems: a time-out shows where every rank stands", "[gui_state]") {
  auto result = result_of(Status::timeout, "the run took longer than 2 s");
  result.failures = {{0, "had ended", "idle", 0, RankLoss::ended},
                     {1, "did not end in time", "blocked in recv from rank 0", 0}};
  const auto problems = problems_of(result, nullptr);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].what == "the run took longer than 2 s");
  REQUIRE(problems[0].follows.size() == 2);
  CHECK(problems[0].follows[0].rank == 1);
  CHECK(problems[0].follows[0].where == "blocked in recv from rank 0");
  CHECK(problems[0].follows[1].severity == Severity::note);
}

TEST_CASE("problems: wrong results", "[gui_state]") {
  auto result = result_of(Status::wrong_result, "rank 1: element 3 is 4, it should be 6");
  RankOutcome good, bad;
  good.rank = 0;
  good.ok = true;
  bad.rank = 1;
  bad.mismatch = {3, "6", "4"};
  result.ranks = {good, bad};
  auto problems = problems_of(result, nullptr);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].rank == 1);
  CHECK(problems[0].where == "element 3 is 4, it should be 6");
  result.ranks = {good};
  result.message = "ranks 0 and 1 hold different bits";
  problems = problems_of(result, nullptr);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].what == "ranks 0 and 1 hold different bits");
}

TEST_CASE("problems: a rank that says itself what is wrong", "[gui_state]") {
  auto result = result_of(Status::failed, "rank 1: no memory");
  RankOutcome outcome;
  outcome.rank = 1;
  take_error(outcome, CommError(CommError::Reason::truncated, 1, 0, {"allreduce_ring.cpp", "", 27},
                                "recv: 8 bytes do not fit"));
  CHECK(outcome.cause == Cause::communication);
  result.ranks = {outcome_of(json_of(outcome))};
  auto problems = problems_of(result, nullptr);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].what == "rank 1: recv: 8 bytes do not fit");
  CHECK(problems[0].where == "at allreduce_ring.cpp:27");
  result.ranks[0].reason = result.ranks[0].site = {};
  result.ranks[0].error = "out of memory";
  result.ranks[0].cause = Cause::own;
  CHECK(problems_of(result, nullptr)[0].what == "rank 1: out of memory");
}

TEST_CASE("problems: the user's stop is none", "[gui_state]") {
  const auto problems = problems_of(result_of(Status::interrupted, "interrupted"), nullptr);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].severity == Severity::note);
}

TEST_CASE("problems: a message that nobody receives", "[gui_state]") {
  const auto document = Document::make(trace_with_unreceived(), "");
  const auto problems = problems_of({}, document.get());
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].severity == Severity::warning);
  CHECK(problems[0].what == "1 message was never received");
  CHECK_THAT(problems[0].where, ContainsSubstring("from rank 0 to rank 1"));
  CHECK_THAT(problems[0].where, ContainsSubstring("problems_test.cpp:"));
  // What broke off has messages on their way.
  CHECK(problems_of(result_of(Status::interrupted), document.get()).size() == 1);
}

TEST_CASE("problems: a trace from a file brings its result along", "[gui_state]") {
  auto result = result_of(Status::failed, "rank 3 is stopped");
  result.failures = {{3, "is stopped", "in send to rank 0", 0}};
  TraceMeta meta;
  meta.world_size = 4;
  meta.outcome = result;
  for (const bool known : {true, false}) {
    if (!known) {
      meta.outcome.reset();
      read_result_text("{\"status\": 7}", meta);
    }
    const auto document = Document::make(make_trace(record(4, ring_of(4)), meta), "");
    const auto problems = problems_of({}, document.get());
    CHECK(problems.size() == 1);
    if (known) CHECK(problems.front().rank == 3);
  }
}

TEST_CASE("problems: of a thousand ranks, some are named", "[gui_state]") {
  auto result = result_of(Status::timeout, "the run took longer than 2 s");
  for (Rank rank = 0; rank < 1000; ++rank)
    result.failures.push_back({rank, "did not end in time", "running", 0});
  const auto problems = problems_of(result, nullptr);
  REQUIRE(problems.size() == 1);
  REQUIRE_FALSE(problems[0].follows.empty());
  CHECK(problems[0].follows.size() < 40);
  CHECK(problems[0].follows.back().what == "and 985 ranks more");
}

TEST_CASE("problems: a deadlock is reported as one cycle that leads to its events", "[gui_state]") {
  // Two receives that stay open, as a run that was stopped leaves them.
  std::vector<EventBatch> batches;
  for (Rank rank = 0; rank < 3; ++rank) {
    StepEvent event;
    event.kind = EventKind::posted;
    event.verb = Verb::recv;
    event.rank = rank;
    event.peer = rank == 0 ? 1 : 0;
    event.op = make_op(rank, 1);
    event.time_ns = event.begin_ns = 100 + rank;
    EventBatch batch;
    batch.rank = rank;
    batch.events = {event};
    batches.push_back(batch);
  }
  auto result = result_of(Status::deadlock, "deadlock: ranks 0 and 1 wait for each other");
  for (Rank rank = 0; rank < 3; ++rank)
    result.failures.push_back({rank, "waits for ever", "rank 0 receives", 0});
  TraceMeta meta;
  meta.world_size = 3;
  meta.outcome = result;
  const auto told = problems_of(result, nullptr);
  REQUIRE(told.size() == 1);
  CHECK(told[0].follows.size() == 3);
  for (const bool complete : {true, false}) {
    meta.complete = complete;
    const auto document = Document::make(make_trace(batches, meta), "");
    const auto problems = problems_of({}, document.get());
    if (!complete) {
      CHECK(problems.size() == 1);
      CHECK(problems[0].follows.size() == 3);
      continue;
    }
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].what == "Deadlock: 0 → 1 → 0");
    CHECK(problems[0].severity == Severity::error);
    REQUIRE(problems[0].circle.size() == 2);
    CHECK(document->trace()[problems[0].circle[1].second].rank == 1);
    REQUIRE(problems[0].follows.size() == 1);
    CHECK(problems[0].follows[0].rank == 2);
  }
}

TEST_CASE("problems: findings lead to their events, hints are notes", "[gui_state]") {
  ScriptedRun run(3);
  run.line(4);
  const OpId one = run.send(1, 0), two = run.send(2, 0);
  run.recv(0, one, true);
  run.line(6);
  const OpId got = run.irecv(0, 2);
  run.last().dtype = DType::int32;
  run.arrive(got, two);
  run.wait(got);
  run.end_all();
  const auto document = Document::make(run.trace(), "");
  const auto problems = problems_of({}, document.get());
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].severity == Severity::warning);
  CHECK_THAT(problems[0].what, ContainsSubstring("received as int32"));
  REQUIRE(problems[0].places.size() == 2);
  CHECK(problems[0].places[1].first == 0);
  CHECK(document->trace()[problems[0].places[1].second].op == got);
  CHECK(problems[1].severity == Severity::note);
  CHECK_THAT(problems[1].what, ContainsSubstring("receives from any rank"));
  CHECK(problems[1].circle.empty());
}

TEST_CASE("problems: calls that do not agree stand above the deadlock that they make",
          "[gui_state]") {
  ScriptedRun run(2);
  run.status(JobResult::Status::deadlock);
  run.line(5);
  run.call(0, "broadcast");
  run.irecv(0, 1);
  run.call(1, "barrier");
  run.irecv(1, 0);
  const auto document = Document::make(run.trace(), "");
  const auto problems = problems_of({}, document.get());
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems[0].what, ContainsSubstring("calls broadcast"));
  REQUIRE_FALSE(problems[0].follows.empty());
  CHECK(problems[0].follows[0].what == "Deadlock: 0 → 1 → 0");
}

TEST_CASE("problems: what a deadlock means stands below what it is", "[gui_state]") {
  auto result = result_of(Status::deadlock);
  result.deadlock = {"deadlock", "deadlock: rank 2 waits for rank 0", "Look for its send."};
  result.message = result.deadlock->message();
  TraceMeta meta;
  meta.world_size = 1;
  meta.outcome = result;
  const auto document = Document::make(make_trace({}, meta), "");
  for (const auto& problems : {problems_of(result, nullptr), problems_of({}, document.get())}) {
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].what == "deadlock: rank 2 waits for rank 0");
    CHECK(problems[0].why == "Look for its send.");
  }
}

TEST_CASE("problems: a grader's words come first, and nothing is reported twice", "[gui_state]") {
  ScriptedRun run(2);
  run.status(JobResult::Status::deadlock);
  run.line(5);
  run.irecv(0, 1);
  run.irecv(1, 0);
  const Trace plain = run.trace();
  const auto before = problems_of({}, Document::make(plain, "").get());
  REQUIRE_FALSE(before.empty());
  REQUIRE(before[0].what == "Deadlock: 0 → 1 → 0");
  RunFault fault = fault_at(plain, 1);
  fault.rule = "It ends.";
  fault.says = "the ranks wait for each other: " + before[0].where;
  run.meta.faults = {"Ring", "2 ranks", {fault}};
  auto problems = problems_of({}, Document::make(run.trace(), "").get());
  REQUIRE(problems.size() == before.size() + 1);
  CHECK(problems[0].what == "the ranks wait for each other");
  CHECK_THAT(problems[0].why, ContainsSubstring("It ends."));
  REQUIRE(problems[0].places.size() == 1);
  CHECK(problems[0].places[0].second == 1);
  CHECK(problems[1].what == before[0].what);

  // A finding that the grader reports lends it its advice, and goes.
  ScriptedRun wrong(2);
  wrong.line(4);
  wrong.recv(1, wrong.send(0, 1));
  wrong.send(0, 1, 16, 3);
  wrong.end_all();
  const auto own = problems_of({}, Document::make(wrong.trace(), "").get());
  REQUIRE_FALSE(own.empty());
  fault.says = own[0].what;
  REQUIRE(own[0].finding);
  fault.finding = info(*own[0].finding).name;
  wrong.meta.faults = {"Ring", "2 ranks", {fault}};
  problems = problems_of({}, Document::make(wrong.trace(), "").get());
  CHECK(problems.size() == own.size());
  CHECK_THAT(problems[0].advice, ContainsSubstring(own[0].advice));
}
