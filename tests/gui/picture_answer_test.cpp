// Answers in the real window's picture: an arrow that is drawn, its ghost, slots and lines.
#include "tests/gui/picture.h"
#include "tests/gui/simulated_user.h"

using namespace rankscope::test;

TEST_CASE("an answer is drawn into the picture, and a wrong one stays as a ghost", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  const Finished done = screen.script({"welcome off",
                                       "layout stage",
                                       "motion off",
                                       "lesson ring-allreduce",
                                       "wait lesson ring-allreduce",
                                       "lesson page 2",
                                       "wait lesson.busy no",
                                       "ask next-message",
                                       "wait run",
                                       "wait lesson.asked next-message",
                                       "wait 0.5",
                                       "screenshot asked.png",
                                       "draw next-message 0 1 2",
                                       "wait 0.3",
                                       "screenshot drawn.png",
                                       "undo",
                                       "wait 0.3",
                                       "screenshot undone.png",
                                       "redo",
                                       "check next-message",
                                       "wait verdict.next-message wrong",
                                       "wait parting *Parts at step 2*",
                                       "view main spacetime",
                                       "wait 0.5",
                                       "screenshot ghost.png",
                                       "ask whose-data",
                                       "wait lesson.asked whose-data",
                                       "view main stage",
                                       "wait 0.5",
                                       "screenshot empty.png",
                                       "fill whose-data /0/0 \"0 1 2\"",
                                       "wait 0.3",
                                       "screenshot tapped.png"});
  INFO(done.out << '\n' << done.err);
  REQUIRE_FALSE(done.timed_out);
  REQUIRE(done.exit_code == 0);
  const Picture asked(screen / "asked.png"), drawn(screen / "drawn.png"),
      undone(screen / "undone.png"), empty(screen / "empty.png"), tapped(screen / "tapped.png");
  CHECK(asked.differences(drawn) > 1'000);
  CHECK(asked.differences(undone) < asked.differences(drawn) / 3);
  CHECK(empty.differences(tapped) > 300);
}

TEST_CASE("a message is dragged from rank to rank", "[gui]") {
  if (!can_see(true)) return;
  const SimulatedUser user({"welcome off", "layout stage", "motion off", "lesson reduce",
                            "wait lesson reduce", "lesson page 2", "wait lesson.busy no",
                            "ask first-message", "wait run", "wait lesson.asked first-message",
                            "wait 0.6", "screenshot @/start.png", "print status",
                            R"(wait draft.first-message *all\",\"from\":\"1\",\"to\":\"0*)",
                            "check first-message", "wait verdict.first-message right", "quit"});
  user.says("status=ok");
  user.look();
  // Before the first message each rank has its own part only. Rank 1 stands at the left of the tree, rank 0 is the next one.
  Picture picture(user.screen / "start.png");
  const auto middle = [&](int right) {
    const auto box = picture.largest(0xC3CCD7, right);
    INFO(box.x << " " << box.y << " " << box.width << " " << box.height);
    REQUIRE(box.width > 8);
    return std::pair(std::to_string(box.x + box.width / 2), std::to_string(box.y + 3));
  };
  constexpr int kBetween = 250;
  const auto from = middle(kBetween);
  for (std::size_t i = 0; i < picture.pixels.size(); ++i)
    if (static_cast<int>(i) % picture.width < kBetween) picture.pixels[i] = 0xFF000000;
  const auto to = middle(picture.width / 2);
  user.does({"mousemove", from.first, from.second, "sleep", "0.2", "mousedown", "1", "sleep", "0.2",
             "mousemove", to.first, to.second, "sleep", "0.3", "mouseup", "1"});
  user.ends_well();
}
