// As a person uses it: keys and the mouse, through the X server.
#include "tests/gui/person.h"

#include <algorithm>
#include <chrono>
#include <csignal>

#include "tests/gui/picture.h"
#include "tests/support/catch.h"

using namespace rankscope::test;
using namespace std::chrono_literals;

namespace {

const std::vector<std::string> kRing = {"welcome off", "run allreduce.ring ranks=4 count=16",
                                        "wait run", "first"};

std::vector<std::string> with_ring(std::vector<std::string> lines) {
  lines.insert(lines.begin(), kRing.begin(), kRing.end());
  return lines;
}

}  // namespace

TEST_CASE("keys play, step and open what they say", "[gui]") {
  if (!can_see(true)) return;
  Person person(with_ring({"print status", "wait moment 1.000", "print messages",
                           "wait moment 2.000", "print end", "wait moment 1.000", "print clock",
                           "wait playing yes", "wait playing no", "expect moment 6.000",
                           "print rounds", "wait shortcuts open", "print ranks",
                           "wait shortcuts closed", "print speed", "wait theme light", "quit"}));
  person.says("status=ok");
  person.look();
  person.keys({"Right"});
  person.says("messages=24");
  person.keys({"Page_Down"});
  person.says("end=");
  person.keys({"Left"});
  person.says("clock=");
  person.keys({"space"});
  person.says("rounds=6");
  person.keys({"F1"});
  person.says("ranks=4");
  person.keys({"Escape"});
  person.says("speed=");
  person.keys({"t"});
  person.ends_well();
}

TEST_CASE("a command is typed into the palette", "[gui]") {
  if (!can_see(true)) return;
  Person person(with_ring({"print status", "wait palette open", "wait 0.3", "print end",
                           "wait bookmarks 1", "wait palette closed", "print clock",
                           "wait palette open", "wait 0.3", "print rounds", "wait palette closed",
                           "expect bookmarks 1", "expect theme dark", "quit"}));
  person.says("status=ok");
  person.look();
  person.keys({"ctrl+p"});
  person.says("end=");
  person.screen.hands({"type", "--delay", "60", "bookmark typed"});
  person.keys({"Return"});
  person.says("clock=");
  person.keys({"ctrl+p"});
  person.says("rounds=");
  person.screen.hands({"type", "--delay", "60", "t"});  // text, not the theme's key
  person.keys({"Escape"});
  person.ends_well();
}

TEST_CASE("what is typed before the palette is drawn is not lost", "[gui]") {
  if (!can_see(true)) return;
  Person person(with_ring({"print status", "wait bookmarks 1", "wait palette closed", "print end",
                           "wait theme light", "wait palette closed", "quit"}));
  person.says("status=ok");
  person.look();
  const auto burst = [&](const std::string& text) {
    person.screen.hands(
        {"key", "ctrl+p", "type", "--delay", "1", "--args", "1", text, "key", "Return"});
  };
  burst("bookmark typed");
  person.says("end=");
  burst("theme light");
  person.ends_well();
}

TEST_CASE("the Run button runs, and arrows are clicked", "[gui]") {
  if (!can_see(true)) return;
  Person person({"welcome off", "set algorithm allreduce.ring", "set ranks 4", "set count 16",
                 "wait 0.3", "screenshot @/before.png", "print ranks", "wait status ok",
                 "expect ranks 4", "print end", "wait moment 0.000", "quit"});
  person.says("ranks=0");
  const Picture picture(person.screen / "before.png");
  const auto button = picture.largest(0x4DA3FF, 320);
  INFO(button.x << " " << button.y << " " << button.width << " " << button.height);
  REQUIRE(button.width > 60);
  REQUIRE(button.height > 15);
  // Beside the letters, which are of another colour, is the button as well.
  person.screen.hands({"mousemove", std::to_string(button.x + button.width / 2),
                       std::to_string(button.y + button.height / 2), "sleep", "0.2", "mousedown",
                       "1", "sleep", "0.1", "mouseup", "1"});
  person.says("end=");
  person.keys({"Home"});
  person.ends_well();
}

TEST_CASE("closing the window in the middle of a run leaves nothing", "[gui]") {
  if (!can_see(true)) return;
  const std::vector<std::string> lines = {"welcome off",
                                          "run allreduce.ring ranks=4 count=16 delay.1=2000000",
                                          "wait status running", "print status"};
  for (const std::string how : {"close", "SIGTERM", "SIGINT", "quit", "Ctrl+Q"}) {
    INFO(how);
    auto all = lines;
    if (how == "quit") all.emplace_back("wait 1");
    if (how == "quit") all.emplace_back("quit");
    Person person(all);
    person.says("status=running");
    REQUIRE(
        eventually([&] { return person.screen.processes().size() >= 5; }));  // it, and four workers
    if (how == "close") REQUIRE(person.screen.close_window());
    if (how == "SIGTERM") person.gui->signal(SIGTERM);
    if (how == "SIGINT") person.gui->signal(SIGINT);
    if (how == "Ctrl+Q") {
      person.look();
      person.keys({"ctrl+q"});
    }
    person.ends_well();
    CHECK(eventually([&] { return person.screen.processes().empty(); }, 3s));
  }
}

TEST_CASE("even when the program is killed, its workers go", "[gui]") {
  if (!can_see()) return;
  Person person({"live allreduce.ring ranks=4", "wait status running", "wait 0.5", "print status"});
  person.says("status=running");
  REQUIRE(eventually([&] { return person.screen.processes().size() >= 5; }));
  person.gui->signal(SIGKILL);
  CHECK(person.gui->end() == 128 + SIGKILL);
  CHECK(eventually([&] { return person.screen.processes().empty(); }, 10s));
}

TEST_CASE("a filter is typed, and changed", "[gui]") {
  if (!can_see(true)) return;
  Person person(
      with_ring({"print status", "wait typing yes", "print messages",
                 "wait filter rank:2 op:recv_reduce", "wait typing no", "print events",
                 "wait typing yes", "print ranks", "wait filter rank:3", "print rounds", "quit"}));
  person.says("status=ok");
  person.look();
  person.keys({"ctrl+f"});
  person.says("messages=24");
  person.screen.hands({"type", "--delay", "60", "rank:2 op:recv_reduce"});
  person.keys({"Return"});
  person.says("events=");
  person.keys({"ctrl+f"});
  person.says("ranks=4");
  person.screen.hands({"type", "--delay", "60", "rank:3"});
  person.keys({"Return"});
  person.says("rounds=6");
  person.ends_well();
}

TEST_CASE("keys that play and step frame nothing and open nothing", "[gui]") {
  if (!can_see(true)) return;
  // What is printed last stands on the status line of each picture.
  Person person(with_ring({"print status",
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
  person.look();
  person.says("messages=24");
  person.keys({"Right"});
  person.says("rounds=6");
  person.click(81, 454);  // Run
  person.says("playing=");
  person.look();
  person.keys({"Home"});
  person.says("clock=");
  person.keys({"Home", "Right", "Right"});
  person.says("end=");
  person.keys({"space"});
  person.ends_well();
  const auto picture = [&](const char* name) { return Picture(person.screen / name); };
  CHECK(picture("key.png").differences(picture("command.png")) == 0);
  CHECK(picture("played.png").differences(picture("last.png")) == 0);
}

TEST_CASE("a wrong value in the panel is told, and nothing runs with it", "[gui]") {
  if (!can_see(true)) return;
  Person person(with_ring({"print status", "wait 0.3", "screenshot @/before.png", "print messages",
                           "wait message *abc*", "print end", "wait 0.3", "print status",
                           "wait 0.3", "screenshot @/after.png", "quit"}));
  person.says("messages=24");
  person.look();
  person.click(146, 295);  // elements
  person.screen.hands({"key", "ctrl+a"});
  person.screen.hands({"type", "--delay", "60", "abc"});
  person.keys({"Return"});
  person.look();
  person.ends_well();
  const Picture before(person.screen / "before.png"), after(person.screen / "after.png");
  CHECK(before.differences(after) == 0);
}
