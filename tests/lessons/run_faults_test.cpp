// The trace of a run keeps what a grader says about it.
#include "engine/account/messages.h"
#include "engine/core/run/job_json.h"
#include "lessons/grading/run_worth.h"
#include "tests/support/catch.h"
#include "tests/support/scripted_run.h"

namespace rankscope {
namespace {

using namespace test;

/// Two messages; the second one is where things go wrong.
ScriptedRun two_messages() {
  ScriptedRun run(2);
  run.line(7);
  run.recv(1, run.send(0, 1));
  run.line(9);
  run.recv(0, run.send(1, 0));
  run.end_all();
  return run;
}

std::uint64_t second_send(const Trace& trace) {
  for (std::uint64_t k = 0; k < trace.size(); ++k)
    if (trace[k].rank == 1 && trace[k].kind == EventKind::posted && trace[k].verb == Verb::send)
      return k;
  return kNoEvent;
}

TEST_CASE("Faults of a run go through its meta data", "[lessons]") {
  const Trace trace = two_messages().trace();
  const auto event = second_send(trace);
  REQUIRE(event != kNoEvent);
  RunFault fault = fault_at(trace, event);
  fault.rule = "Each rank sends to its left neighbour.";
  fault.says = "step 1: rank 1 sent to rank 0, where rank 2 was expected";
  fault.site = "worker.py:9";
  const RunFaults faults{
      "Ring", "2 ranks, [8], float32", {fault, {"The sum is right.", "no", "", "values", -1, {}}}};
  TraceMeta meta = trace.meta();
  CHECK_FALSE(meta.faults);
  meta.faults = faults;
  TraceMeta again;
  read_result_text(result_text(meta), again);
  REQUIRE(again.faults);
  CHECK(*again.faults == faults);
  CHECK(event_of(trace, again.faults->faults[0]) == event);
  CHECK(event_of(trace, again.faults->faults[1]) == kNoEvent);
  REQUIRE(again.outcome);  // the result is still there
  CHECK(again.outcome->ok());
}

TEST_CASE("What is no fault of a run is none", "[lessons]") {
  const Trace trace = two_messages().trace();
  CHECK(event_of(trace, {"", "", "", "", 1, 4000}) == kNoEvent);
  CHECK(event_of(trace, {"", "", "", "", 7, 0}) == kNoEvent);
  CHECK_FALSE(fault_at(trace, kNoEvent).seq);
  for (const char* text : {"", "no JSON", "[]", R"({"faults":7})", R"({"faults":{"rules":"all"}})",
                           R"({"faults":{"rules":[]}})", R"({"faults":{"rules":[{"seq":"x"}]}})"}) {
    INFO(text);
    TraceMeta meta;
    read_result_text(text, meta);
    CHECK_FALSE(meta.faults);
    CHECK(result_text(meta) == text);  // it is kept as it is
  }
}

}  // namespace
}  // namespace rankscope
