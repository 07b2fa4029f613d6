// A lecture as it is given: a presenter's clicker, the presenter's window, the pen.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/gui/picture.h"
#include "tests/gui/simulated_user.h"
#include "tests/support/paths.h"

using namespace rankscope::test;

TEST_CASE("a clicker goes through run and lesson, whichever window has the focus", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user({"welcome off",
                      "motion off",
                      "lesson flat-allreduce",
                      "wait lesson.busy no",
                      "lecture on",
                      "show-run lost",
                      "wait run",
                      "first",
                      "presenter on",
                      "wait 0.5",
                      "screenshot @/presenter.png presenter",
                      "screenshot @/before.png",
                      "print presenter",
                      "wait moment 1.000",
                      "print moment",
                      "wait blank yes",
                      "wait 0.2",
                      "screenshot @/black.png",
                      "print blank",
                      "wait blank no",
                      "expect moment 1.000",
                      "last",
                      "wait 0.2",
                      "print pen.lines",
                      "wait lesson.page 2",
                      "print end",
                      "wait presenter closed",
                      "wait 0.3",
                      "screenshot @/after.png",
                      "expect lecture on",
                      "print ranks",
                      "quit"});
  user.says("presenter=open");
  const Picture notes(user.screen / "presenter.png"), before(user.screen / "before.png");
  CHECK(notes.width == 1000);
  CHECK(notes.height == 700);
  CHECK(notes.colors() > 50);
  // The two lie over each other on this screen; the pointer says whose keys they are.
  user.look();
  user.keys({"Page_Down"});
  user.says("moment=1.000");
  user.keys({"period"});
  user.says("blank=yes");
  CHECK(Picture(user.screen / "black.png").brightness() == 0);
  user.keys({"Page_Down"});
  user.says("pen.lines=0");
  user.does({"search", "--onlyvisible", "--name", "^Presenter", "windowfocus"});
  user.keys({"Page_Down"});
  user.says("end=");
  REQUIRE(user.screen.close_window("Presenter - rankscope"));
  user.says("ranks=4");
  user.ends_well();
  CHECK(Picture(user.screen / "after.png").colors() > 50);
}

TEST_CASE("the pen draws over the window, and what lies beneath does not notice", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user({"welcome off",
                      "run allreduce.ring ranks=4 count=16",
                      "wait run",
                      "first",
                      "present on",
                      "wait 0.5",
                      "screenshot @/plain.png",
                      "pen orange",
                      "wait 0.3",
                      "print pen",
                      "wait pen.lines 1",
                      "pen off",
                      "wait 0.2",
                      "expect moment 0.000",
                      "expect selected-message -1",
                      "screenshot @/drawn.png",
                      "record last @/clip.gif",
                      "wait run",
                      "print status",
                      "wait pen.lines 0",
                      "quit"});
  user.says("pen=yes");
  user.does({"search", "--onlyvisible", "--name",    "^rankscope", "mousemove", "300", "300",
             "sleep",  "0.2",           "mousedown", "1",          "sleep",     "0.2", "mousemove",
             "500",    "350",           "sleep",     "0.2",        "mousemove", "700", "300",
             "sleep",  "0.2",           "mouseup",   "1"});
  user.says("status=ok");
  const Picture plain(user.screen / "plain.png"), drawn(user.screen / "drawn.png");
  CHECK(drawn.count(0xE69F00) > plain.count(0xE69F00) + 1000);
  CHECK(std::filesystem::file_size(user.screen / "clip.gif") > 1000);
  user.keys({"Escape"});
  user.ends_well();
}

TEST_CASE("in the list of scenes the mouse moves one, skips one and goes to one", "[gui]") {
  if (!can_see(true)) return;
  const auto file = source_root() / "lessons" / "lectures" / "1-ring-and-doubling.lecture.toml";
  SimulatedUser user({"motion off", "scenes " + file.string(), "wait run", "scenes", "wait 0.3",
                      "print scene.asks", "wait scene 3", "print scene", "wait message *skipped*",
                      "print message", "wait scene.title \"The same ring, held: who can move?\"",
                      "wait scene 2", "quit off", "quit"});
  user.says("scene.asks");
  user.drag(108, 720, 588, 720);  // the first card, behind the third
  user.says("scene=3");
  user.click(166, 760);  // the foot of the card that is the first now
  user.says("is skipped");
  user.click(268, 715);
  user.ends_well();
}

namespace {

/// The lecture that `lesson script` makes of a lesson: each of its scenes is shown.
void give(const std::string& lesson) {
  const Screen screen;
  const std::string file = screen / "made.lecture.toml";
  const Finished made = run_rankscope({"lesson", "script", lesson, "-o", file});
  INFO(lesson << '\n' << made.err);
  REQUIRE(made.exit_code == 0);
  std::vector<std::string> lines = {"motion off", "scenes made.lecture.toml", "wait run"};
  const int scenes = std::stoi(made.err.substr(made.err.find('\n') + 1));  // "8 scenes."
  for (int i = 2; i <= scenes; ++i)
    lines.insert(lines.end(),
                 {"scene " + std::to_string(i), "wait run", "expect scene " + std::to_string(i)});
  const Finished done = screen.script(lines);
  INFO(done.out << done.err);
  REQUIRE_FALSE(done.timed_out);
  CHECK(done.exit_code == 0);
}

}  // namespace

TEST_CASE("the lecture that is made of a lesson is given scene by scene", "[gui]") {
  if (!can_see()) return;
  give("hello-ranks");
}

TEST_CASE("the lecture of every lesson is given scene by scene", "[gui][full][slow]") {
  if (!can_see()) return;
  std::size_t lessons = 0;
  for (const auto& folder :
       std::filesystem::directory_iterator(source_root() / "lessons" / "content"))
    if (exists(folder.path() / "lesson.toml")) {
      const std::string name = folder.path().filename().string();  // "01-hello-ranks"
      give(name.substr(name.find('-') + 1));
      ++lessons;
    }
  CHECK(lessons >= 26);
}

TEST_CASE("a lecture that was recorded in the window shows the same pictures again", "[gui]") {
  if (!can_see()) return;
  const Screen screen("1280x720");
  std::vector<std::string> record = {"motion off", "present on", "record made"},
                           give = {"motion off", "present on", "scenes made.lecture.toml"};
  int stops = 0;
  // One stop: what is done, and the press that shows it again.
  const auto stop = [&](const std::vector<std::string>& lines) {
    const std::string file = std::to_string(stops++) + ".png";
    record.insert(record.end(), lines.begin(), lines.end());
    if (stops > 1) give.push_back("next-stop");
    for (auto* const script : {&record, &give})
      script->insert(script->end(), {"wait still", "wait 0.5",
                                     "screenshot " + (script == &give ? "again-" + file : file)});
  };
  stop({"run allreduce.ring ranks=4 count=16"});
  stop({"next-stop", "predict"});
  stop({"next-stop"});
  stop({"values on"});
  stop({"select chunk 2"});
  stop({"last"});
  stop({"run allreduce.ring ranks=4 count=16 transport=sim", "wait run", "select none",
        "view main spacetime", "first"});
  stop({"next-stop"});
  stop({"curtain off"});
  stop({"view main stage", "last", "say \"rank 2 slow\"", "wait run", "curtain on", "first"});
  stop({"last"});
  stop({"race ring bde on 4 ranks", "wait run", "curtain on", "first"});
  stop({"last"});
  stop({"live broadcast.binomial ranks=4 count=16 transport=ipc", "wait still"});
  stop({"next-stop"});
  stop({"release 0"});
  record.insert(record.end(), {"wait still", "record off"});
  const Finished recorded = screen.script(record, {"--size", "1280x720"});
  INFO(recorded.out << recorded.err);
  REQUIRE(recorded.exit_code == 0);
  const Finished given = screen.script(give, {"--size", "1280x720"});
  INFO(given.out << given.err);
  REQUIRE(given.exit_code == 0);
  for (int i = 0; i < stops; ++i) {
    INFO("stop " << i);
    const std::string file = std::to_string(i) + ".png";
    Picture seen(screen / file), again(screen / ("again-" + file));
    // The head has the scene's title and number then.
    for (Picture* const one : {&seen, &again})
      one->pixels.erase(one->pixels.begin(), one->pixels.begin() + std::ptrdiff_t{56} * 1280);
    CHECK(again.differences(seen) == 0);
  }
}
