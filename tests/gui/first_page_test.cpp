// The first page and the race, as somebody sees and uses them.
#include "tests/gui/picture.h"
#include "tests/gui/simulated_user.h"

using namespace rankscope::test;

TEST_CASE("the first page shows six runs, moves, and opens one by keys", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user({"expect first-page open",
                      "wait 1",
                      "screenshot @/early.png",
                      "wait 2",
                      "screenshot @/late.png",
                      "motion off",
                      "wait 0.5",
                      "screenshot @/still.png",
                      "wait 1",
                      "screenshot @/stiller.png",
                      "print first-page",
                      "wait algorithm allreduce.bde",
                      "wait run",
                      "expect status ok",
                      "expect first-page closed",
                      "welcome on",
                      "expect first-page open",
                      "print ranks",
                      "wait first-page closed",
                      "quit"});
  user.says("first-page=open");
  const Picture early(user.screen / "early.png"), late(user.screen / "late.png"),
      still(user.screen / "still.png"), stiller(user.screen / "stiller.png");
  CHECK(early.differences(late) > 200);
  CHECK(still.differences(stiller) == 0);
  user.look();
  user.keys({"Right", "Right", "Right", "Return"});  // the first shows the choice, two move it
  user.says("ranks=8");
  user.keys({"Escape"});
  user.ends_well();
}

TEST_CASE("a race of two shows both on one clock, and ends with a verdict", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  const auto done = screen.script({"set ranks 8",
                                   "race ring bde",
                                   "wait race done",
                                   "expect view.main race",
                                   "expect race.runs 2",
                                   "expect race.verdict *bde 3*",
                                   "expect end 14.000",
                                   "pause",
                                   "first",
                                   "wait 0.3",
                                   "screenshot start.png",
                                   "seek 3",
                                   "wait 0.3",
                                   "screenshot three.png",
                                   "last",
                                   "wait 0.3",
                                   "screenshot end.png",
                                   "clock measured",
                                   "wait 0.2",
                                   "expect race done",
                                   "race off",
                                   "expect race off",
                                   "expect view.main stage"});
  INFO(done.out << '\n' << done.err);
  REQUIRE(done.exit_code == 0);
  const Picture start(screen / "start.png"), three(screen / "three.png"), end(screen / "end.png");
  CHECK(start.differences(three) > 500);
  CHECK(three.differences(end) > 500);
}
