// Schedules drawn in the real window: with the mouse, by keys, and what is then seen.
#include "tests/gui/picture.h"
#include "tests/gui/simulated_user.h"
#include "tests/support/process.h"

using namespace rankscope::test;

TEST_CASE("a schedule is drawn, proved and timed in the window", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  std::vector<std::string> lines{"welcome off", "layout stage", "motion off",
                                 "schedule new allreduce 4 2", "maximize main"};
  for (const int bit : {1, 2})
    for (int rank = 0; rank < 4; ++rank)
      for (int chunk = 0; chunk < 2; ++chunk)
        lines.push_back("schedule add " + std::to_string(bit) + " " + std::to_string(rank) + " " +
                        std::to_string(rank ^ bit) + " " + std::to_string(chunk));
  for (const char* line :
       {"expect schedule right", "wait schedule.times known", "schedule select none", "wait 0.5",
        "screenshot right.png", "schedule delete 2 1 3 0", "expect schedule wrong", "wait 0.5",
        "screenshot wrong.png", "schedule undo", "wait 0.5", "screenshot undone.png", "theme light",
        "scale 2", "wait 0.5", "screenshot light.png"})
    lines.emplace_back(line);
  const Finished done = screen.script(lines);
  INFO(done.out << '\n' << done.err);
  REQUIRE_FALSE(done.timed_out);
  REQUIRE(done.exit_code == 0);
  const Picture right(screen / "right.png"), wrong(screen / "wrong.png"),
      undone(screen / "undone.png"), light(screen / "light.png");
  CHECK(right.differences(wrong) > 2'000);
  CHECK(right.differences(undone) < right.differences(wrong));
  CHECK(right.differences(light) > 100'000);
}

TEST_CASE("a chunk is dragged to another rank, and taken back by a key", "[gui]") {
  if (!can_see(true)) return;
  const SimulatedUser user({"welcome off", "layout stage", "motion off",
                            "schedule new allreduce 4 2", "screenshot @/laid-out.png", "wait 0.2",
                            "print theme", "wait schedule.moves 1", "print schedule.move",
                            "wait schedule.moves 0", "quit"});
  user.says("dark");
  user.drag(345, 180, 345, 262);
  user.says("1: 0 -> 1 chunk 0 add");
  user.keys({"ctrl+z"});
  user.ends_well();
}
