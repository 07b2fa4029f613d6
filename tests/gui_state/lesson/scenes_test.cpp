// A lecture of scenes: the clicker's way through it and back, held processes, the end of the window, and old scripts.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>

#include "gui/state/app/groups.h"
#include "lessons/slides/lecture_file.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

constexpr auto kThree = R"(lecture = 1
title = "Three"
[[scene]]
title = "A ring"
minutes = 1
run = { algorithm = "allreduce.ring", ranks = 4, count = 16 }
question = { text = "How many?", before = "round 2", answered = "end", options = ["3", "6"], answer = "6" }
[[scene]]
title = "Held"
run = { algorithm = "allreduce.ring", ranks = 3, count = 12 }
held = true
question = "Who can move?"
[[scene]]
title = "Stops"
run = { algorithm = "allreduce.ring", ranks = 8, alpha = "5us" }
stops = ["round 1", { at = "round 1", commands = ["values on"] }, "end"]
)";

struct Lecturing : Driven {
  using Driven::Driven;
  void opens(const std::string& text) {
    std::ofstream(home / "x.lecture.toml") << text;
    REQUIRE(does("motion off"));
    REQUIRE(does("scenes " + quoted(home / "x.lecture.toml")));
    settles();
  }
  void settles() {
    REQUIRE(until([&] {
      const auto& runs = app.group<RunCommands>();
      return !app.group<SceneCommands>().busy() && !app.state().playback.playing &&
             (!runs.running() || runs.held());
    }));
    app.update(0);
  }
  void press(const std::string& line) {
    REQUIRE(does(line));
    settles();
  }
  std::size_t happened() const {
    return app.state().has_trace() ? app.state().document->rounds().messages.size() : 0;
  }
  std::string where() const {
    return value("scene") + " at " + value("moment") + " of " + value("end");
  }
};

/// Where a clicker can be, and what is seen there.
std::string picture_of(const Lecturing& one) {
  const AppState& s = one.app.state();
  const auto& layout = s.settings.layout;
  return fmt::format("{} {:.3f} {} {} {} {} {} {}", s.lecture.scenes.now, s.playback.moment,
                     to_string(s.playback.clock), layout.at(Slot::main),
                     s.document ? s.document->headline() : "", s.settings.values,
                     s.settings.curtain, s.lecture.scenes.asks);
}

}  // namespace

TEST_CASE("scenes: the clicker goes through stops and scenes, and back to where each was left",
          "[gui_state]") {
  Lecturing one;
  one.opens(kThree);
  CHECK(one.where() == "1 at 0.000 of 6.000");
  CHECK(one.value("scene.asks") == "no");
  one.press("next-stop");
  CHECK(one.value("moment") == "1.000");
  CHECK(one.value("scene.asks") == "yes");  // round 2 is asked for, and lies ahead
  one.press("next-stop");
  CHECK(one.value("scene.asks") == "no");
  const auto& asked = one.app.state().lecture.prediction;
  CHECK(asked.stands());  // its answer cannot be seen yet
  one.press("last");
  CHECK(asked.resolved);
  one.press("next-stop");
  CHECK(one.where() == "2 at 0.000 of 0.000");
  CHECK(one.value("scene.title") == "Held");
  CHECK(one.value("scene.asks") == "yes");
  one.press("next-stop");
  CHECK(one.where() == "2 at 1.000 of 1.000");
  const std::size_t moved = one.happened();
  one.press("previous-stop");
  CHECK(one.where() == "2 at 0.000 of 1.000");
  one.press("previous-stop");  // over the start: the scene before, where it was left
  CHECK(one.where() == "1 at 6.000 of 6.000");
  CHECK(one.app.state().lecture.scenes.kept[1]);
  one.press("next-stop");
  CHECK(one.where() == "2 at 0.000 of 1.000");
  one.press("next-stop");  // looking releases nothing
  CHECK(one.where() == "2 at 1.000 of 1.000");
  CHECK(one.happened() == moved);
  one.press("next-stop");
  CHECK(one.where() == "2 at 2.000 of 2.000");
  one.press("scene 3");
  CHECK(one.value("scene") == "3");
  CHECK(one.value("clock") == "measured");
  CHECK(one.value("moment") == "0.000");
  one.press("next-stop");
  CHECK_FALSE(one.app.state().settings.values);
  const std::string moment = one.value("moment");
  one.press("next-stop");  // the same moment, seen otherwise
  CHECK(one.value("moment") == moment);
  CHECK(one.app.state().settings.values);
  one.press("previous-stop");
  CHECK_FALSE(one.app.state().settings.values);
  one.press("next-stop");
  one.press("next-stop");
  CHECK(one.value("moment") == one.value("end"));
  one.press("next-stop");
  CHECK_THAT(one.message(), ContainsSubstring("the last scene"));
  one.press("scene 2");
  CHECK(one.where() == "2 at 2.000 of 2.000");
  CHECK(one.app.state().holds());
  REQUIRE(one.does("scenes close"));
  CHECK(one.until([&] { return one.value("scene") == "0" && !one.app.state().live.running; }));
}

TEST_CASE("scenes: nothing is inherited, and the user's own settings come back", "[gui_state]") {
  Lecturing one;
  REQUIRE(one.does("set count 99"));
  const Settings usual;
  for (const SettingSwitch& each : kSwitches)
    REQUIRE(one.app.execute(each.command(turned(!(usual.*each.on)))));
  REQUIRE(one.does("curtain off"));
  one.opens(kThree);
  CHECK(one.app.state().document->trace().meta().job->call.shape == std::vector<Count>{16});
  for (const SettingSwitch& each : kSwitches)
    if (is_scene_look(each.command.name))
      CHECK(one.app.state().settings.*each.on == usual.*each.on);
  CHECK(one.app.state().curtain());
  CHECK(one.app.group<DisplayCommands>().remembered().job.call.shape == std::vector<Count>{99});
  REQUIRE(one.does("scenes close"));
  for (const SettingSwitch& each : kSwitches)
    CHECK(one.app.state().settings.*each.on != usual.*each.on);
  CHECK(one.app.state().settings.job.call.shape == std::vector<Count>{99});
  CHECK_FALSE(one.app.state().curtain());
}

TEST_CASE("scenes: a what-if takes the place of the scene's question", "[gui_state]") {
  Lecturing one;
  one.opens(kThree);
  one.press("next-stop");
  REQUIRE(one.app.state().lecture.prediction.stands());
  one.press("say 5 ranks");
  REQUIRE(one.until([&] { return one.value("ranks") == "5"; }));
  one.settles();
  CHECK_FALSE(one.app.state().lecture.prediction.open());
  CHECK(one.app.state().asked.any);
  one.press("last");
  one.press("next-stop");  // back in the scene, where it was left
  CHECK(one.where() == "1 at 1.000 of 6.000");
  CHECK(one.app.state().lecture.prediction.stands());
  one.press("scene 2");
  one.press("say rendezvous");
  REQUIRE(one.until([&] { return one.app.state().holds() && one.happened() == 0; }));
  CHECK(one.value("changes") == "rendezvous sends");
  while (one.app.state().holds()) one.press("release-round");
  REQUIRE(one.until([&] { return one.value("answer.waits") == "no"; }));
  CHECK(one.value("answer") == "Rendezvous sends: 4 steps");
}

TEST_CASE("scenes: two of them keep held processes, an older one runs again to its place",
          "[gui_state]") {
  Lecturing one;
  std::string text = "lecture = 1\ntitle = \"Held\"\n";
  for (int i = 0; i < 4; ++i)
    text += fmt::format(
        "[[scene]]\ntitle = \"{}\"\nrun = {{ algorithm = \"allreduce.ring\", ranks = 2, count = "
        "{} }}\nheld = true\norders = [\"release 1\"]\n",
        i, 4 + i);
  one.opens(text);
  one.press("next-stop");  // its own order
  one.press("next-stop");
  const std::string place = one.where();
  const std::size_t moved = one.happened();
  for (const char* to : {"scene 2", "scene 3", "scene 4"}) one.press(to);
  const auto& kept = one.app.state().lecture.scenes.kept;
  CHECK(kept == std::vector<bool>{false, true, true, false});
  one.press("scene 1");
  CHECK_THAT(one.message(), ContainsSubstring("ran again to where they stood"));
  CHECK(one.where() == place);
  CHECK(one.happened() == moved);
  REQUIRE(one.does("print ranks"));
  one.press("scene 4");  // kept
  CHECK_THAT(one.message(), ContainsSubstring("ranks="));
  CHECK(one.app.state().holds());
}

TEST_CASE(
    "scenes: whatever the way, a process moves only by a press at the present, and a stop is "
    "the same picture",
    "[gui_state]") {
  const char* const said = std::getenv("RANKSCOPE_TEST_PRESSES");
  const int presses = said != nullptr ? std::atoi(said) : 200;
  Lecturing one;
  one.opens(kThree);
  std::mt19937 random(20261129);
  std::map<std::string, std::string> pictures;  // by scene, releases, moment and stop
  std::size_t released = 0;
  for (int i = 0; i < presses; ++i) {
    const AppState& s = one.app.state();
    const bool held = s.holds(), present = held && s.at_present();
    const std::string scene = one.value("scene");
    const std::size_t before = one.happened();
    const auto choice = random() % 10;
    const std::string line = choice < 5   ? "next-stop"
                             : choice < 9 ? "previous-stop"
                                          : fmt::format("scene {}", random() % 3 + 1);
    INFO(i << ": " << line << " in " << one.where());
    one.press(line);
    if (one.value("scene") == scene && scene == "2") {
      const std::size_t by = one.happened() - before;
      if (!present || line != "next-stop") CHECK(by == 0);
      else CHECK(by == 3);  // one round
      released += by;
    }
    if (one.value("scene") == "2") CHECK(one.happened() == released);
    const std::string stop = one.where() + " after " + std::to_string(released);
    const bool two_looks = one.value("scene") == "3";  // two stops at one moment
    const auto [known, fresh] = pictures.emplace(stop, picture_of(one));
    if (!fresh && !two_looks) CHECK(known->second == picture_of(one));
  }
  CHECK(released == 12);
}

TEST_CASE("scenes: after an abrupt end one command is back at scene, moment and time",
          "[gui_state]") {
  Lecturing one(true);
  double now = 100;
  one.app.group<LectureCommands>().clock = [&] { return now; };
  one.opens(kThree);
  one.press("last");
  one.press("next-stop");
  for (int i = 0; i < 3; ++i) one.press("next-stop");
  one.press("previous-stop");
  now += 65;
  one.app.update(0);
  const std::string place = one.where();
  const std::size_t moved = one.happened();
  // The other window knows what stands in the file, and no more.
  App other(Driven::options(true));
  CHECK(other.state().lecture.stopped->place == 1);
  REQUIRE(other.execute(cmd::motion(Turn::off)));
  REQUIRE(other.execute(cmd::resume_lecture()));
  REQUIRE(eventually(
      [&] {
        other.update(0.005);
        return !other.group<SceneCommands>().busy();
      },
      std::chrono::seconds(60)));
  other.update(0);
  CHECK(other.value_of("scene") + " at " + other.value_of("moment") + " of " +
            other.value_of("end") ==
        place);
  CHECK(other.state().document->rounds().messages.size() == moved);
  CHECK(other.state().lecture.timer_s >= 60);
  CHECK(other.state().holds());
}

TEST_CASE("scenes: what cannot be given says where and why", "[gui_state]") {
  Lecturing one;
  CHECK_FALSE(one.does("scenes"));
  CHECK_FALSE(one.does("scene 1"));
  CHECK_FALSE(one.does("resume-lecture"));
  const auto fails = [&](const std::string& text) {
    std::ofstream(one.home / "bad.lecture.toml") << text;
    CHECK_FALSE(one.does("open " + quoted((one.home / "bad.lecture.toml"))));
    return one.message();
  };
  const std::string begin =
      "lecture = 1\ntitle = \"T\"\n[[scene]]\ntitle = \"S\"\n"
      "run = { algorithm = \"allreduce.ring\" }\n";
  CHECK_THAT(fails("lecture = 1\n"), ContainsSubstring("bad.lecture.toml"));
  CHECK_THAT(fails(begin + "view = \"sideways\"\n"),
             ContainsSubstring("bad.lecture.toml:3: there is no view"));
  CHECK_THAT(fails(begin + "commands = [\"run\"]\n"), ContainsSubstring("not 'run'"));
  CHECK_THAT(fails(begin + "commands = [\"values sometimes 3\"]\n"),
             ContainsSubstring("bad.lecture.toml:3"));
  CHECK(one.value("scene") == "0");
  one.opens(kThree);
  CHECK_FALSE(one.does("scene 9"));
  CHECK_THAT(one.message(), ContainsSubstring("3 scenes"));
  // A run of somebody's own is no part of the scene: behind its end the scene comes back.
  one.press("next-stop");
  REQUIRE(one.does("say broadcast on 2 ranks"));
  REQUIRE(one.until([&] { return one.value("status") == "ok" && one.value("ranks") == "2"; }));
  one.press("last");
  one.press("next-stop");
  CHECK(one.value("ranks") == "4");
  CHECK(one.value("moment") == "1.000");
}

TEST_CASE("scenes: in the lectures that come with it, a question stands before its event",
          "[gui_state]") {
  Lecturing one;
  REQUIRE(one.app.state().lecture.cards.size() == 3);
  REQUIRE(one.does("motion off"));
  for (const LectureCard& card : one.app.state().lecture.cards) {
    CHECK(card.minutes == 10);
    REQUIRE(one.does("scenes " + quoted(card.file)));
    one.settles();
    const auto& scenes = one.app.state().lecture.scenes;
    std::vector<bool> asked(scenes.lecture->scenes.size());
    for (int i = 0; i < 400 && one.message() != "this was the last scene"; ++i) {
      const AppState& s = one.app.state();
      INFO(card.title << ", scene " << scenes.now + 1 << ": " << s.error);
      CHECK(s.error.empty());
      REQUIRE(s.document);
      if (scenes.asks) {
        asked[scenes.now] = true;
        const Document& run = *s.document;
        const SceneMoment& before = scenes.scene()->question->before;
        const int round =
            before.is == SceneMoment::Is::end ? run.rounds().count : static_cast<int>(before.value);
        const auto& messages = run.rounds().messages;
        for (std::size_t m = 0; m < messages.size(); ++m)
          if (run.rounds().round[m] == round && s.race.runs.empty())
            CHECK(s.playback.moment <= run.arrives(s.playback.clock, m) - 1e-6);
        if (!s.holds()) CHECK(s.playback.moment < run.end(s.playback.clock));
      }
      one.press("next-stop");
    }
    CHECK(one.message() == "this was the last scene");
    for (std::size_t i = 0; i < asked.size(); ++i) {
      INFO(card.title << ", scene " << i + 1);
      CHECK(asked[i] == scenes.lecture->scenes[i].question.has_value());
    }
  }
}

TEST_CASE("scenes: what is recorded is a lecture with the same stops, orders, questions and notes",
          "[gui_state]") {
  Lecturing one;
  const std::string file = one.home / "made.lecture.toml";
  REQUIRE(one.does("motion off"));
  one.ring();
  const std::string layout = one.value("view.main");
  REQUIRE(one.does("record " + quoted(file)));
  std::vector<std::string> seen;
  double now = 0;
  one.app.group<LectureCommands>().clock = [&] { return now; };
  const auto rest = [&] {
    one.app.update(0);
    now += 1;
    const AppState& s = one.app.state();
    seen.push_back(fmt::format("{:.3f} {} {} {} {} {} {}", s.playback.moment,
                               s.document->headline(), s.settings.values, s.curtain(),
                               s.settings.layout.at(Slot::main), s.selection.chunk,
                               s.lecture.prediction.stands() ? s.lecture.prediction.text : ""));
  };
  const auto does = [&](const std::string& line) {
    REQUIRE(one.does(line));
    one.settles();
    rest();
  };
  REQUIRE(one.does("run allreduce.ring ranks=8 count=64 transport=sim"));
  REQUIRE(one.until([&] { return one.value("status") == "ok" && one.value("ranks") == "8"; }));
  rest();
  CHECK(one.value("moment") == "0.000");  // behind the curtain, as in a lecture
  does("next-stop");
  REQUIRE(one.does("predict"));
  REQUIRE(one.does("predict"));  // another one instead
  seen.pop_back();
  rest();
  does("next-stop");
  does("previous-stop");  // looked back, and on again
  does("next-stop");
  seen.resize(seen.size() - 2);
  REQUIRE(one.does("labels bytes"));  // passed through
  REQUIRE(one.does("labels chunks"));
  REQUIRE(one.does("bookmark Half of the sums are whole."));
  does("values on");
  does("curtain off");
  does("select chunk 2");
  does("view main spacetime");
  does("last");
  REQUIRE(one.does("live allreduce.ring ranks=3 count=12 transport=ipc"));
  one.settles();
  rest();
  const auto moves = [&](const std::string& line, std::size_t messages) {
    REQUIRE(one.does(line));
    REQUIRE(one.until([&] { return one.happened() >= messages; }));
    one.settles();
    rest();
  };
  moves("release 1", 1);
  does("values off");
  moves("next-stop", 3);
  const std::size_t held = one.happened();
  REQUIRE(one.does("record off"));
  CHECK_THAT(one.message(), ContainsSubstring("2 scenes"));
  CHECK(one.value("view.main") == layout);
  REQUIRE(one.does("stop"));
  Complaints complaints;
  const auto lecture = read_lecture(file, complaints);
  INFO(complaints.first(5, "made").to_string() << one.text("made.lecture.toml"));
  REQUIRE(lecture);
  CHECK_THAT(lecture->scenes[0].notes, ContainsSubstring("Half of the sums are whole."));
  CHECK(lecture->scenes[0].question);
  CHECK(lecture->scenes[1].orders ==
        std::vector<std::string>{"release 1", "values off", "release-round"});
  REQUIRE(one.does("scenes " + quoted(file)));
  one.settles();
  const std::vector<std::string> before = std::exchange(seen, {});
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i > 0) one.press("next-stop");
    one.app.update(0);
    rest();
  }
  CHECK(seen == before);
  CHECK(one.happened() == held);
  one.press("previous-stop");
  one.press("scene 1");
  one.press("scene 2");
  CHECK_FALSE(one.app.state().settings.values);  // an order to the look stays
}

TEST_CASE("scenes: one is moved or skipped, the clicker follows, and the file stays as it is",
          "[gui_state]") {
  Lecturing one(true);
  one.opens(kThree);
  REQUIRE(one.does("scene move 3 1"));
  CHECK(one.value("scene") == "2");  // the one that is shown stays
  CHECK(one.value("scene.title") == "A ring");
  REQUIRE(one.does("scene skip 3"));
  one.press("last");
  one.press("next-stop");
  CHECK_THAT(one.message(), ContainsSubstring("the last scene"));
  one.press("scene back");
  CHECK(one.value("scene.title") == "Stops");
  CHECK_FALSE(one.does("scene back"));
  CHECK_FALSE(one.does("scene move 1 4"));
  one.press("scene 3");  // by number a skipped one can still be shown
  CHECK(one.value("scene.title") == "Held");
  one.press("scene 2");
  one.app.update(0);
  CHECK(one.text("x.lecture.toml") == kThree);
  App other(Driven::options(true));
  REQUIRE(other.execute(parse_command("scenes " + quoted(one.home / "x.lecture.toml"))));
  const auto& scenes = other.state().lecture.scenes;
  CHECK(scenes.order == std::vector<std::size_t>{2, 0, 1});
  CHECK(scenes.skipped == std::vector<bool>{false, true, false});
  CHECK(scenes.now == 2);
  // Another set of scenes in the file: its own order.
  const std::string text = kThree;
  std::ofstream(one.home / "x.lecture.toml") << text.substr(0, text.rfind("[[scene]]"));
  REQUIRE(other.execute(parse_command("scenes " + quoted(one.home / "x.lecture.toml"))));
  CHECK(scenes.order == std::vector<std::size_t>{0, 1});
}
