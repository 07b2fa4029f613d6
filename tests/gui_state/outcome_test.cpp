// How a run ended: what its chip says, and where a wrong result opens.
#include "gui/state/run/session.h"
#include "tests/gui_state/driven.h"
#include "tests/support/catch.h"
#include "tests/support/made_up_run.h"

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
  CHECK(other.message().starts_with("Wrong result: element 0 of rank 0 is "));
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
  run.meta.result_json = R"({"status":"ok"})";
  CHECK(state_of(run.trace()) == "ended well");
  run.post(Verb::recv, 0, 1, 3000);
  run.post(Verb::recv, 1, 0, 3000);
  run.meta.result_json = R"({"status":"deadlock"})";
  CHECK(state_of(run.trace()) == "deadlock");
  // Of a program nobody knows how much data it has.
  JobSpec spec;
  spec.algorithm = "ring_exchange.py";
  spec.platform = "torch";
  spec.world_size = 2;
  run.meta.algorithm = spec.algorithm;
  run.meta.job_json = to_json(spec);
  const auto document = Document::make(run.trace(), "");
  CHECK(document->headline().starts_with("ring_exchange.py · 2 ranks · torch"));
  CHECK(document->headline().find("float32") == std::string::npos);
}
