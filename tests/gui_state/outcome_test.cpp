// How a run ended: what its chip says, and where a wrong result opens.
#include <nlohmann/json.hpp>

#include "engine/core/trace/trace_file.h"
#include "gui/state/run/session.h"
#include "tests/gui_state/driven.h"
#include "tests/support/catch.h"
#include "tests/support/made_up_run.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

TEST_CASE("outcome: a wrong result opens at the first rank and chunk that differ, also from a file",
          "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does(
      "run allreduce.schedule ranks=4 count=8 \"schedule=1: 1 -> 2 chunk 1 add; 2: 2 -> "
      "0 chunk 1 add\""));
  REQUIRE(driven.until([&] { return driven.value("status") == "wrong result"; }));
  CHECK(driven.value("state") == "run ended: wrong result");
  CHECK(driven.value("selected-rank") == "0");
  CHECK(driven.value("selected-chunk") == "0");
  const std::string file = driven.home / "wrong.rankscope";
  REQUIRE(driven.does("save " + quoted(file)));
  Driven other;
  CHECK(other.value("state") == "no run yet");
  REQUIRE(other.does("open " + quoted(file)));
  REQUIRE(other.until([&] { return other.value("ranks") == "4"; }));
  CHECK(other.value("state") == "wrong result");
  CHECK(other.value("selected-rank") == "0");
  CHECK(other.value("selected-chunk") == "0");
  CHECK(other.value("moment") == other.value("end"));
  CHECK(other.message().starts_with("Rank 0 has "));
}

namespace {

/// Two ranks of a program that should have added [1, 2] and [3, 4]; rank 1 has its own numbers in element 1.
std::string program_trace(const std::string& file, const std::string& as) {
  const auto call = [](Rank rank, const std::string& begin, const std::string& result) {
    return nlohmann::json::parse(
        R"({"kind": "call", "rank": )" + std::to_string(rank) +
        R"(, "size": 2, "function": "add", "file": "p.py", "line": 3, "number": 0, "end": 6,
        "begin": {"x": {"values": )" +
        begin + R"(, "dtype": "float32", "shape": [2]}},
        "after": {}, "arguments": ["x"], "carried": ["x"], "returns": true,
        "result": {"values": )" +
        result + R"(, "dtype": "float32", "shape": [2]},
        "history": [[5, "total", )" +
        result + R"(]], "verbs": [[4, "send"]]})");
  };
  MadeUpRun run(2);
  run.message(0, 1, 1000, 2000);
  run.meta.complete = true;
  run.meta.outcome.emplace().status = JobResult::Status::ok;
  run.meta.handed =
      handed_of({{"as", as},
                 {"data", "x"},
                 {"notes", {call(0, "[1, 2]", "[4, 6]"), call(1, "[3, 4]", "[4, 4]")}}},
                2);
  TraceWriter writer(file, run.meta);
  for (EventBatch batch : run.batches()) writer.deliver(std::move(batch));
  writer.close(run.meta);
  return quoted(file);
}

}  // namespace

TEST_CASE("outcome: a program's wrong result opens at its first wrong element", "[gui_state]") {
  Driven driven;
  const std::string file = program_trace(driven.home / "wrong.rankscope", "allreduce:sum");
  CHECK(driven.script({"open " + file, "wait run"}).empty());
  CHECK(driven.message() == "Rank 1 has 4 in element 1; it should have 6");
  CHECK(driven.value("selected-rank") == "1");
  CHECK(driven.value("state") == "wrong result");
  const auto& problems = driven.app.state().problems;
  REQUIRE_FALSE(problems.empty());
  CHECK(problems[0].what == "Rank 1 has 4 in element 1; it should have 6");
  CHECK_THAT(problems[0].where, ContainsSubstring("p.py:5"));
  CHECK_THAT(problems[0].why, ContainsSubstring("Element 1 of rank 1 is 4, it should be 6."));
  CHECK(problems[0].rank == 1);
}

TEST_CASE("outcome: a program's result is compared with what somebody says that it means",
          "[gui_state]") {
  Driven driven;
  CHECK_FALSE(driven.does("meant allreduce"));
  const std::string file = program_trace(driven.home / "unsaid.rankscope", "");
  CHECK(driven.script({"open " + file, "wait run"}).empty());
  CHECK(driven.value("state") == "ended well");
  const auto before = driven.app.state().problems;
  CHECK(driven.script({"meant all_reduce:sum", "wait run"}).empty());
  CHECK(driven.message() == "Rank 1 has 4 in element 1; it should have 6");
  CHECK(driven.value("selected-rank") == "1");
  CHECK(driven.value("state") == "wrong result");
  CHECK(driven.app.state().problems.size() == before.size() + 1);
  const std::string saved = driven.home / "workspace.rankscript";
  CHECK(driven.does("workspace " + quoted(saved)));
  CHECK_THAT(driven.text("workspace.rankscript"), ContainsSubstring("\nmeant all_reduce:sum\n"));
  CHECK(driven.script({"meant broadcast:0", "wait run"}).empty());
  CHECK_THAT(driven.message(), ContainsSubstring("it should have 1"));
  CHECK(driven.script({"meant off", "wait run"}).empty());
  CHECK(driven.app.state().problems == before);
  CHECK(driven.value("state") == "ended well");
  CHECK_FALSE(driven.does("meant allredcue"));
  CHECK_THAT(driven.message(), ContainsSubstring("meant allredcue: there is no collective") &&
                                   ContainsSubstring("did you mean"));
  driven.ring();
  CHECK_FALSE(driven.does("meant allreduce"));
  CHECK_THAT(driven.message(), ContainsSubstring("compared already"));
}

TEST_CASE("outcome: the header says of a trace how its run ended", "[gui_state]") {
  const auto state_of = [](Trace trace) {
    Driven driven;
    auto& state = driven.app.mutable_state();
    state.document = Document::make(std::move(trace), "");
    state.problems = problems_of({}, state.document.get());
    return driven.value("state");
  };
  MadeUpRun run(2);
  run.message(0, 1, 1000, 2000);
  CHECK(state_of(run.trace()) == "recorded");
  run.meta.complete = true;
  run.meta.outcome.emplace().status = JobResult::Status::ok;
  CHECK(state_of(run.trace()) == "ended well");
  run.post(Verb::recv, 0, 1, 3000);
  run.post(Verb::recv, 1, 0, 3000);
  run.meta.outcome.emplace().status = JobResult::Status::deadlock;
  CHECK(state_of(run.trace()) == "deadlock");
  // Of a program nobody knows how much data it has.
  JobSpec spec;
  spec.call.algorithm = "ring_exchange.py";
  spec.call.platform = "torch";
  spec.world.size = 2;
  run.meta.algorithm = spec.call.algorithm;
  run.meta.job = spec;
  const auto document = Document::make(run.trace(), "");
  CHECK(document->headline().starts_with("ring_exchange.py · 2 ranks · torch"));
  CHECK(document->headline().find("float32") == std::string::npos);
}

TEST_CASE("outcome: a deadlock is one problem, and what-if shows its ghost runs", "[gui_state]") {
  ScriptedRun run(4);
  run.status(JobResult::Status::deadlock);
  run.meta.sources = {{"worker.py",
                       "def exchange(tensor):\n"
                       "    dist.send(tensor, right)\n"
                       "    dist.recv(received, left)\n"}};
  run.line(2);
  for (Rank rank = 0; rank < 4; ++rank) run.post(Verb::send, rank, (rank + 1) % 4, 32);
  Driven driven;
  CHECK_FALSE(driven.does("what-if isend"));
  CHECK_THAT(driven.message(), ContainsSubstring("there is no deadlock to ask about"));
  auto& state = driven.app.mutable_state();
  state.document = Document::make(run.trace(), "");
  state.problems = problems_of({}, state.document.get());
  driven.app.update(0);

  CHECK(driven.value("problems") == "1");
  const Problem& problem = state.problems.front();
  CHECK(problem.what == "Deadlock: 0 → 1 → 2 → 3 → 0");
  REQUIRE(problem.stands.size() == 1);
  CHECK(problem.stands[0].title == "ranks 0, 1, 2, 3 · worker.py:2");
  CHECK(problem.stands[0].marked == 2);
  CHECK(problem.stands[0].lines.size() == 3);
  CHECK(problem.frees_title == "The receive that would free rank 0");
  REQUIRE(problem.frees.size() == 1);
  CHECK(problem.frees[0].title == "rank 1 never reaches it · worker.py:3");

  CHECK(driven.value("what-if") == "as-written");
  CHECK(driven.value("state") == "deadlock");
  const auto real = state.document;
  REQUIRE(driven.does("what-if receive-first"));
  CHECK(driven.value("what-if.outcome") == "ends after 2 steps");
  CHECK(driven.value("state") == "ghost run: ends after 2 steps");
  CHECK(driven.value("rounds") == "2");
  CHECK(driven.value("playing") == "yes");
  driven.app.update(0);
  CHECK(driven.value("problems") == "1");  // those of the real run
  REQUIRE(driven.does("what-if next"));
  CHECK(driven.value("what-if") == "isend");
  CHECK_FALSE(driven.does("what-if irecv"));
  CHECK_THAT(driven.message(), ContainsSubstring("receive-first, isend, buffered, as-written"));
  REQUIRE(driven.does("what-if as-written"));
  CHECK(state.document == real);
  CHECK(driven.value("state") == "deadlock");
}
