// As a person uses it: keys and the mouse, through the X server.
#include "tests/gui/simulated_user.h"

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "tests/gui/picture.h"
#include "tests/support/catch.h"

using namespace rankscope::test;

namespace {

const std::vector<std::string> kFirstRing = {"welcome off", "run allreduce.ring ranks=4 count=16",
                                             "wait run", "first"};

std::vector<std::string> after_ring(std::vector<std::string> lines) {
  lines.insert(lines.begin(), kFirstRing.begin(), kFirstRing.end());
  return lines;
}

}  // namespace

TEST_CASE("keys play, step and open what they say", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user(after_ring(
      {"print status", "wait moment 1.000", "print messages", "wait moment 2.000", "print end",
       "wait moment 1.000", "wait playing no", "print clock", "wait playing yes", "wait playing no",
       "expect moment 6.000", "print rounds", "wait shortcuts open", "print ranks",
       "wait shortcuts closed", "print speed", "wait theme light", "quit"}));
  user.says("status=ok");
  user.look();
  user.keys({"Right"});
  user.says("messages=24");
  user.keys({"Page_Down"});
  user.says("end=");
  user.keys({"Left"});
  user.says("clock=");
  user.keys({"space"});
  user.says("rounds=6");
  user.keys({"F1"});
  user.says("ranks=4");
  user.keys({"Escape"});
  user.says("speed=");
  user.keys({"t"});
  user.ends_well();
}

// Frames that equal the last one are not painted; a picture is painted apart.
TEST_CASE("the window shows what its picture shows, after each step", "[gui]") {
  if (!can_see(true)) return;
  const std::vector<std::string> steps = {"Right", "Right", "Left", "t", "F1", "Escape"};
  const std::vector<std::string> then = {"moment 1.000", "moment 2.000",   "moment 1.000",
                                         "theme light",  "shortcuts open", "shortcuts closed"};
  std::vector<std::string> lines = after_ring({"motion off", "wait still", "print status"});
  for (std::size_t i = 0; i < steps.size(); ++i)
    lines.insert(lines.end(),
                 {"wait " + then[i], "wait still", "screenshot @/" + std::to_string(i) + ".png"});
  lines.insert(lines.end(), {"wait theme contrast", "quit"});
  SimulatedUser user(lines);
  user.says("status=ok");
  user.look();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    user.keys({steps[i]});
    const std::string file = user.screen / (std::to_string(i) + ".png");
    INFO(file);
    REQUIRE(eventually([&] { return std::filesystem::exists(file); }));
    const Picture picture(file);
    CHECK(eventually([&] { return user.screen.pixels() == picture.pixels; }));
  }
  user.keys({"t"});
  user.ends_well();
}

TEST_CASE("a command is typed into the palette", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user(after_ring(
      {"print status", "wait palette open", "wait 0.3", "print end", "wait bookmarks 1",
       "wait palette closed", "print clock", "wait palette open", "wait 0.3", "print rounds",
       "wait palette closed", "expect bookmarks 1", "expect theme dark", "quit"}));
  user.says("status=ok");
  user.look();
  user.keys({"ctrl+p"});
  user.says("end=");
  user.type("bookmark typed");
  user.keys({"Return"});
  user.says("clock=");
  user.keys({"ctrl+p"});
  user.says("rounds=");
  user.type("t");  // text, not the theme's key
  user.keys({"Escape"});
  user.ends_well();
}

TEST_CASE("what is typed before the palette is drawn is not lost", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user(after_ring({"print status", "wait bookmarks 1", "wait palette closed",
                                 "print end", "wait theme light", "wait palette closed", "quit"}));
  user.says("status=ok");
  user.look();
  const auto burst = [&](const std::string& text) {
    user.does({"key", "ctrl+p", "type", "--delay", "1", "--args", "1", text, "key", "Return"});
  };
  burst("bookmark typed");
  user.says("end=");
  burst("theme light");
  user.ends_well();
}

TEST_CASE("the Run button runs, and arrows are clicked", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user({"welcome off", "set algorithm allreduce.ring", "set ranks 4", "set count 16",
                      "wait 0.3", "screenshot @/before.png", "print ranks", "wait status ok",
                      "expect ranks 4", "print end", "wait moment 0.000", "quit"});
  user.says("ranks=0");
  const Picture picture(user.screen / "before.png");
  const auto button = picture.largest(0x4DA3FF, 1280);
  INFO(button.x << " " << button.y << " " << button.width << " " << button.height);
  REQUIRE(button.width > 60);
  REQUIRE(button.height > 15);
  // Beside the letters, which are of another colour, is the button as well.
  user.click(button.x + button.width / 2, button.y + button.height / 2);
  user.says("end=");
  user.keys({"Home"});
  user.ends_well();
}

TEST_CASE("closing the window in the middle of a run leaves nothing", "[gui]") {
  if (!can_see(true)) return;
  const std::vector<std::string> lines = {"welcome off",
                                          "run allreduce.ring ranks=4 count=16 delay.1=60000000",
                                          "wait status running", "print status"};
  for (const std::string how : {"close", "SIGTERM", "SIGINT", "quit", "Ctrl+Q"}) {
    INFO(how);
    auto all = lines;
    if (how == "quit") all.emplace_back("wait 1");
    if (how == "quit") all.emplace_back("quit");
    SimulatedUser user(all);
    user.says("status=running");
    REQUIRE(
        eventually([&] { return user.screen.processes().size() >= 5; }));  // it, and four workers
    if (how == "close") REQUIRE(user.screen.close_window());
    if (how == "SIGTERM") user.gui->signal(SIGTERM);
    if (how == "SIGINT") user.gui->signal(SIGINT);
    if (how == "Ctrl+Q") {
      user.look();
      user.keys({"ctrl+q"});
    }
    user.ends_well();
    CHECK(eventually([&] { return user.screen.processes().empty(); }));
  }
}

TEST_CASE("even when the program is killed, its workers go", "[gui]") {
  if (!can_see()) return;
  SimulatedUser user(
      {"live allreduce.ring ranks=4", "wait status running", "wait 0.5", "print status"});
  user.says("status=running");
  REQUIRE(eventually([&] { return user.screen.processes().size() >= 5; }));
  user.gui->signal(SIGKILL);
  CHECK(user.gui->end() == 128 + SIGKILL);
  CHECK(eventually([&] { return user.screen.processes().empty(); }));
}

TEST_CASE("a filter is typed, and changed", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user(
      after_ring({"print status", "wait typing yes", "print messages",
                  "wait filter rank:2 op:recv_reduce", "wait typing no", "print events",
                  "wait typing yes", "print ranks", "wait filter rank:3", "print rounds", "quit"}));
  user.says("status=ok");
  user.look();
  user.keys({"ctrl+f"});
  user.says("messages=24");
  user.type("rank:2 op:recv_reduce");
  user.keys({"Return"});
  user.says("events=");
  user.keys({"ctrl+f"});
  user.says("ranks=4");
  user.type("rank:3");
  user.keys({"Return"});
  user.says("rounds=6");
  user.ends_well();
}

TEST_CASE("keys that play and step frame nothing and open nothing", "[gui]") {
  if (!can_see(true)) return;
  // What is printed last stands on the status line of each picture.
  SimulatedUser user(after_ring({"print status",
                                 "wait 1",
                                 "step",
                                 "wait 0.3",
                                 "print theme",
                                 "screenshot @/command.png",
                                 "first",
                                 "print messages",
                                 "wait moment 1.000",
                                 "wait 0.3",
                                 "print theme",
                                 "screenshot @/key.png",
                                 "print rounds",
                                 "wait message *right on*",
                                 "print playing",
                                 "wait moment 0.000",
                                 "last",
                                 "wait 0.3",
                                 "print theme",
                                 "screenshot @/last.png",
                                 "print clock",
                                 "wait moment 2.000",
                                 "print end",
                                 "wait playing yes",
                                 "wait playing no",
                                 "wait 0.3",
                                 "print theme",
                                 "screenshot @/played.png",
                                 "quit"}));
  user.look();
  user.says("messages=24");
  user.keys({"Right"});
  user.says("rounds=6");
  const auto run = Picture(user.screen / "command.png").largest(0x4DA3FF, 1280);
  user.click(run.x + 6, run.y + 6);  // beside its letters
  user.says("playing=");
  user.look();
  user.keys({"Home"});
  user.says("clock=");
  // Every second one ends the motion of the one before: so quickly they must come.
  user.does({"key", "--delay", "100", "Home", "Right", "Right", "Right", "Right"});
  user.says("end=");
  user.keys({"space"});
  user.ends_well();
  const auto picture = [&](const char* name) { return Picture(user.screen / name); };
  CHECK(picture("key.png").differences(picture("command.png")) == 0);
  CHECK(picture("played.png").differences(picture("last.png")) == 0);
}

TEST_CASE("a wrong word is reported, and nothing runs with it", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user(
      after_ring({"print status", "wait 0.3", "screenshot @/before.png", "print messages",
                  "wait message *abc*", "wait 0.3", "wait typing yes", "print end",
                  "wait typing no", "print rounds", "wait theme light", "theme dark", "wait 0.3",
                  "print status", "wait 0.3", "screenshot @/after.png", "quit"}));
  user.says("messages=24");
  user.look();
  user.keys({"ctrl+k"});
  user.type("ring abc");
  user.keys({"Return"});
  user.says("end=");
  user.keys({"Escape"});
  user.says("rounds=");
  user.keys({"t"});  // its box is gone, and with this command what it said
  user.look();
  user.ends_well();
  const Picture before(user.screen / "before.png"), after(user.screen / "after.png");
  CHECK(before.differences(after) == 0);
}

TEST_CASE("words that are not understood stay in their box", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user({"welcome off", "print status", "wait message *understood*", "wait 0.3",
                      "wait typing yes", "print end", "wait status ok", "expect ranks 5", "quit"});
  user.says("status=idle");
  user.look();
  user.keys({"ctrl+k"});
  user.type("5 ringx");
  user.keys({"Return"});
  user.says("end=");
  // The caret stands behind the words, and the field has the keyboard.
  user.keys({"BackSpace", "Return"});
  user.ends_well();
}

TEST_CASE("Escape that closes a menu closes nothing else", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user(
      after_ring({"present on", "wait 0.5", "print status", "wait theme light",
                  "expect presenting yes", "print ranks", "wait presenting no", "quit"}));
  user.says("status=ok");
  user.look();
  user.does({"mousemove", "640", "300", "sleep", "0.5", "click", "3", "sleep", "2"});
  user.keys({"Escape", "t"});
  user.says("ranks=4");
  user.keys({"Escape"});
  user.ends_well();
}

TEST_CASE("quitting asks while processes are held", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user({"welcome off", "live allreduce.ring ranks=4", "wait still", "print ranks",
                      "wait theme light", "print status", "wait theme dark"});
  user.says("ranks=4");
  user.look();
  user.keys({"ctrl+q", "Escape", "t"});
  user.says("status=running");
  user.keys({"ctrl+q", "ctrl+q"});
  user.ends_well();
  CHECK(user.screen.processes().empty());
}
