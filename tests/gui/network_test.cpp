// The view Network in the real window: loads that follow the cursor, links that are dragged and cut.
#include "tests/gui/picture.h"
#include "tests/gui/simulated_user.h"
#include "tests/support/process.h"

using namespace rankscope::test;

namespace {

std::string ring_on_puzzler(const Screen& screen) {
  std::string file = screen / "puzzler.rankscope";
  const Finished done = run_rankscope(
      {"sim", "allreduce.ring", "-n", "8", "-c", "1048576", "--topology", "puzzler", "-o", file});
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  return file;
}

}  // namespace

TEST_CASE("the network shows loads at the cursor, a route, and what is changed", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  const std::string file = ring_on_puzzler(screen);
  const Finished done = screen.script({"welcome off",
                                       "layout stage",
                                       "motion off",
                                       "open \"" + file + "\"",
                                       "wait run",
                                       "wait network run",
                                       "view main network",
                                       "clock measured",
                                       "first",
                                       "wait 0.5",
                                       "screenshot idle.png",
                                       "clock rounds",
                                       "seek 3",
                                       "wait 0.5",
                                       "screenshot step.png",
                                       "select message 2",
                                       "wait 0.5",
                                       "screenshot route.png",
                                       "select none",
                                       "network cut 1 socket0",
                                       "expect network changed",
                                       "wait 0.5",
                                       "screenshot cut.png",
                                       "network undo",
                                       "wait 0.5",
                                       "screenshot undone.png",
                                       "theme light",
                                       "scale 2",
                                       "wait 0.5",
                                       "screenshot light.png"});
  INFO(done.out << '\n' << done.err);
  REQUIRE_FALSE(done.timed_out);
  REQUIRE(done.exit_code == 0);
  const Picture idle(screen / "idle.png"), step(screen / "step.png"), route(screen / "route.png"),
      cut(screen / "cut.png"), undone(screen / "undone.png"), light(screen / "light.png");
  CHECK(idle.differences(step) > 2'000);
  CHECK(step.differences(route) > 300);
  CHECK(step.differences(cut) > 2'000);
  // Only the line that says what was done differs.
  CHECK(step.differences(undone) < step.differences(cut) / 2);
  CHECK(step.differences(light) > 100'000);
}

TEST_CASE("topologies are offered where there is no network", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  const Finished done =
      screen.script({"welcome off", "layout stage", "view main network", "expect network none",
                     "wait 0.4", "screenshot none.png", "network open ring", "expect network draft",
                     "wait 0.4", "screenshot ring.png"});
  INFO(done.out << '\n' << done.err);
  REQUIRE(done.exit_code == 0);
  CHECK(Picture(screen / "none.png").differences(Picture(screen / "ring.png")) > 5'000);
}

TEST_CASE("nodes are dragged, and links drawn from one to another", "[gui]") {
  if (!can_see(true)) return;
  const SimulatedUser user({"welcome off", "layout stage", "motion off", "network open ring",
                            "expect network draft", "wait 0.8", "print theme",
                            "wait network changed", "network undo", "network mode link",
                            "expect network draft", "wait 0.5", "print status",
                            "wait network.links 9", "print network.link", "quit"});
  user.says("dark");
  // Rank 0 is above the middle, rank 4 below it.
  user.drag(440, 163, 520, 200);
  user.says("status=idle");
  user.drag(440, 163, 440, 559);
  user.says("r0 - r4");
  user.ends_well();
}

TEST_CASE("keys over the network are the network's: Delete, Ctrl+Z, Ctrl+Shift+Z", "[gui]") {
  if (!can_see(true)) return;
  const SimulatedUser user({"welcome off", "layout stage", "motion off", "network open ring",
                            "maximize main", "network select 3 4", "wait 0.8", "print theme",
                            "wait network.links 7", "print status", "wait network.links 8",
                            "print clock", "wait network.links 7", "quit"});
  user.says("dark");
  user.does(
      {"search", "--sync", "--onlyvisible", "--name", "^rankscope", "mousemove", "640", "400"});
  user.keys({"Delete"});
  user.says("status=idle");
  user.keys({"ctrl+z"});
  user.says("clock=rounds");
  user.keys({"ctrl+shift+z"});
  user.ends_well();
}
