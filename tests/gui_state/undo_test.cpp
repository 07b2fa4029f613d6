// Undo: what is a change, and what taking it back brings with it.
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

Command delay(int milliseconds, bool more) {
  Command command = cmd::delay(1, milliseconds);
  command.more = more;
  return command;
}

}  // namespace

TEST_CASE("undo: only what changed something is undone", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("set ranks 5"));
  REQUIRE(driven.does("undo"));
  CHECK_FALSE(driven.does("set ranks many"));
  CHECK_FALSE(driven.does("view main nothing"));
  CHECK(driven.does("layout save mine"));
  CHECK(driven.does("set ranks 4"));
  CHECK(driven.value("undo") == "0");
  REQUIRE(driven.does("redo"));
  CHECK(driven.value("job.ranks") == "5");
}

TEST_CASE("undo: a slider that is dragged is one change", "[gui_state]") {
  Driven driven;
  for (int to = 1; to <= 7; ++to) CHECK(driven.app.execute(delay(to, true)));
  CHECK(driven.app.execute(delay(7, false)));
  CHECK(driven.value("undo") == "1");
  for (int to = 7; to <= 9; ++to) CHECK(driven.app.execute(delay(to, true)));
  CHECK(driven.app.execute(delay(9, false)));
  CHECK(driven.value("undo") == "2");
  const auto& delays = driven.app.state().settings.job.world.delays_us;
  REQUIRE(driven.does("undo"));
  CHECK(delays.at(1) == 7000);
  REQUIRE(driven.does("undo"));
  CHECK((delays.empty() || delays.at(1) == 0));
  REQUIRE(driven.does("redo"));
  REQUIRE(driven.does("redo"));
  CHECK(delays.at(1) == 9000);
}

TEST_CASE("undo: a delay is taken from the run that goes on", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("set timeout 120"));
  REQUIRE(driven.does("run allreduce.ring ranks=4 count=16"));
  REQUIRE(driven.until([&] { return driven.value("status") == "ok"; }));
  // Ten seconds before each message, unless that is undone.
  REQUIRE(driven.does("live"));
  REQUIRE(driven.until([&] { return !driven.app.state().live.places.empty(); }));
  REQUIRE(driven.does("set delay.1 10000000"));
  REQUIRE(driven.does("undo"));
  REQUIRE(driven.does("gate-resume"));
  CHECK(driven.until([&] { return driven.value("status") == "ok"; }, 9000));
}

TEST_CASE("undo: what is shown is what the panel says", "[gui_state]") {
  Driven driven;
  driven.ring();
  REQUIRE(driven.does("run ranks=6"));
  REQUIRE(driven.until([&] { return driven.value("ranks") == "6"; }));
  REQUIRE(driven.until([&] { return driven.value("status") == "ok"; }));
  REQUIRE(driven.does("undo"));
  CHECK(driven.value("job.ranks") == "4");
  CHECK(
      driven.until([&] { return driven.value("ranks") == "4" && driven.value("status") == "ok"; }));
  // What was changed and not run needs no new run.
  REQUIRE(driven.does("set ranks 3"));
  REQUIRE(driven.does("undo"));
  CHECK(driven.value("status") == "ok");
}

TEST_CASE("undo: what was done since by other means stays", "[gui_state]") {
  Driven driven;
  driven.ring();
  REQUIRE(driven.does("view lower matrix"));
  REQUIRE(driven.does("bookmark here"));
  REQUIRE(driven.does("maximize lower"));
  driven.app.mutable_state().settings.layout.left = 0.5;
  REQUIRE(driven.does("undo"));
  CHECK(driven.value("bookmarks") == "0");
  CHECK(driven.value("maximized") == "lower");
  REQUIRE(driven.does("undo"));
  CHECK(driven.value("view.lower") == "spacetime");
  CHECK(driven.value("maximized") == "lower");
  CHECK(driven.app.state().settings.layout.left == 0.5);
  REQUIRE(driven.does("redo"));
  CHECK(driven.value("view.lower") == "matrix");
}
