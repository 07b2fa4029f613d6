// A run that is held: its plan, what is on offer, and the question who can move.
#include "engine/analysis/run_plan.h"
#include "gui/state/model/live_marks.h"
#include "gui/state/run/session.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

TEST_CASE("held run: its axis goes to the end of its plan from the first event on", "[gui_state]") {
  Driven driven;
  CHECK(driven.script({"live allreduce.ring ranks=4 count=16", "wait still"}).empty());
  const auto& state = driven.app.state();
  REQUIRE(driven.until([&] { return state.has_trace(); }));
  REQUIRE(state.document->plan());
  CHECK(state.document->end(ClockBase::rounds) == 0);
  CHECK(state.document->axis_end(ClockBase::rounds) == 6);
  CHECK(state.document->phases(ClockBase::rounds).size() == 2);
  CHECK(driven.until([&] { return driven.value("offers") == "0>1 1>2 2>3 3>0"; }));
  for (const LiveOffer& offer : live_marks(state).offers)
    CHECK(state.document->plan()->run.messages()[offer.planned].from == offer.from);
  CHECK(driven.script({"release 2 0", "wait still"}).empty());
  REQUIRE(driven.until([&] { return state.document->rounds().messages.size() == 1; }));
  CHECK(state.document->rounds().messages[0].from == 2);
  CHECK(state.document->axis_end(ClockBase::rounds) == 6);
  REQUIRE(driven.does("gate-resume"));
  CHECK(driven.until([&] { return driven.value("status") == "ok"; }));
  CHECK(driven.value("offers").empty());
  CHECK(state.document->plan());  // nothing jumps at the end
  CHECK(state.document->end(ClockBase::rounds) == 6);
}

TEST_CASE("held run: who can move is asked, answered and checked", "[gui_state]") {
  Driven driven;
  CHECK_FALSE(driven.does("who-can-move ask"));
  CHECK_THAT(driven.message(), ContainsSubstring("F6"));
  CHECK(driven.script({"live broadcast.binomial ranks=4 count=16", "wait still"}).empty());
  const auto& state = driven.app.state();
  REQUIRE(driven.until([&] { return driven.value("offers") == "0>2"; }));
  CHECK_FALSE(driven.does("moves 0"));
  REQUIRE(driven.does("who-can-move ask"));
  CHECK(driven.value("offers").empty());  // covered
  CHECK(live_marks(state).badge(0)->kind == LiveBadge::Kind::asked);
  REQUIRE(driven.does("moves 0"));
  REQUIRE(driven.does("moves 3"));
  CHECK_FALSE(driven.does("moves 4"));
  CHECK(driven.value("moves") == "0 3");
  REQUIRE(driven.does("who-can-move check"));
  CHECK(state.moves.right == std::vector<Rank>{0});
  CHECK(live_marks(state).badge(0)->kind == LiveBadge::Kind::right);
  CHECK(live_marks(state).badge(3)->kind == LiveBadge::Kind::wrong);
  CHECK(driven.value("offers") == "0>2");
  // It is over once a rank moves.
  CHECK(driven.script({"release", "wait still"}).empty());
  CHECK(driven.until([&] { return driven.value("who-can-move") == "none"; }));
  CHECK(driven.does("stop"));
}

TEST_CASE("held run: what cannot be planned has no plan", "[gui_state]") {
  JobSpec spec = job("allreduce.ring");
  CHECK(planned_run(spec, -1));
  CHECK_FALSE(is_watched(spec, false));
  CHECK(is_watched(spec, true));
  spec.call.shape = {100'000'000};
  CHECK_FALSE(planned_run(spec, -1));
  spec = job("no.such", 4);
  CHECK_FALSE(planned_run(spec, -1));
}

TEST_CASE("what-if: a deadlock of sends is made again with buffered ones, on processes",
          "[gui_state]") {
  Driven driven;
  CHECK_FALSE(driven.does("what-if-run buffered"));
  REQUIRE(driven.does("run exercise.pair_d ranks=4 count=8 mode=rendezvous timeout=20"));
  REQUIRE(driven.until([&] { return driven.value("status") == "deadlock"; }));
  REQUIRE(driven.does("what-if buffered"));
  CHECK_THAT(driven.message(), ContainsSubstring("replay"));
  // How a program orders its verbs is its text's affair.
  CHECK_FALSE(driven.does("what-if-run receive-first"));
  CHECK_THAT(driven.message(), ContainsSubstring("replay"));
  REQUIRE(driven.does("what-if-run buffered"));
  CHECK(driven.until([&] { return driven.value("status") == "ok"; }));
  CHECK(driven.app.state().settings.job.transport.mode == SendMode::buffered);
}
