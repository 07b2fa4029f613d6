// A lecture's commands: a clicker's stops, the black screen, clocks, spotlight, pen, and the last minute.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "gui/state/app/groups.h"
#include "gui/state/files/settings.h"
#include "gui/state/lecture/frame_ring.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

/// Its clock is the test's.
struct Lecturer : Driven {
  double now = 1000;
  Lecturer() {
    app.group<LectureCommands>().clock = [this] { return now; };
  }
  bool passes(double seconds) {
    now += seconds;
    return app.update(0);
  }
  const LectureState& lecture() const { return app.state().lecture; }
  std::string moment() const { return value("moment"); }
};

Pixels plain(int width, int height, std::uint32_t color) {
  return {width, height,
          std::vector<std::uint32_t>(static_cast<std::size_t>(width * height), color)};
}

}  // namespace

TEST_CASE("lecture: a clicker goes through the run step by step", "[gui_state]") {
  Lecturer one;
  CHECK(one.does("next-stop"));
  CHECK_THAT(one.message(), ContainsSubstring("start a run"));
  one.ring();
  REQUIRE(one.does("motion off"));
  REQUIRE(one.does("first"));
  for (const char* moment : {"1.000", "2.000", "3.000"}) {
    REQUIRE(one.does("next-stop"));
    CHECK(one.moment() == moment);
  }
  REQUIRE(one.does("previous-stop"));
  CHECK(one.moment() == "2.000");
  REQUIRE(one.does("last"));
  REQUIRE(one.does("next-stop"));
  CHECK_THAT(one.message(), ContainsSubstring("the end of the run"));
  CHECK(one.moment() == one.value("end"));
  // With motion the step is played; whoever presses again is at its end at once.
  REQUIRE(one.does("motion on"));
  REQUIRE(one.does("first"));
  REQUIRE(one.does("next-stop"));
  CHECK(one.value("playing") == "yes");
  one.app.update(0.25);
  CHECK(one.moment() == "0.250");
  for (int i = 0; i < 10; ++i) one.app.update(0.25);
  CHECK(one.moment() == "1.000");
  CHECK(one.value("playing") == "no");
  REQUIRE(one.does("next-stop"));
  one.app.update(0.1);
  REQUIRE(one.does("next-stop"));
  one.app.update(0.1);
  CHECK(one.moment() == "2.000");
  CHECK(one.value("playing") == "no");
  REQUIRE(one.does("play"));  // to the end, as before
  for (int i = 0; i < 40; ++i) one.app.update(0.25);
  CHECK(one.moment() == one.value("end"));
}

TEST_CASE("lecture: behind a run's last step comes the lesson", "[gui_state]") {
  Lecturer one;
  REQUIRE(one.does("motion off"));
  REQUIRE(one.does("lecture on"));
  REQUIRE(one.does("lesson flat-allreduce"));
  REQUIRE(one.until([&] { return one.value("lesson.busy") == "no" && one.value("lesson") != ""; }));
  const auto stop = [&] {
    REQUIRE(one.does("next-stop"));
    REQUIRE(one.until([&] {
      return one.value("lesson.busy") == "no" && !one.app.state().live.running &&
             !one.app.animating();
    }));
  };
  std::vector<std::string> runs;
  std::string pages;
  const std::string all = one.value("lesson.pages");
  for (int clicks = 0; clicks < 300; ++clicks) {
    if (pages.empty() || pages.substr(pages.size() - 1) != one.value("lesson.page"))
      pages += one.value("lesson.page");
    if (const auto run = one.value("lesson.run");
        !run.empty() && (runs.empty() || runs.back() != run))
      runs.push_back(run);
    if (one.message() == "this is the last stop of the lesson") break;
    stop();
  }
  CHECK(pages == "1234");
  CHECK(one.value("lesson.page") == all);
  // Every run of every page, in its order.
  std::vector<std::string> meant;
  for (const Step& step : one.app.state().lesson.lesson->steps)
    for (const Block& block : step.blocks)
      if (block.kind == Block::Kind::run) meant.push_back(block.id);
  CHECK(meant.size() > 1);
  CHECK(runs == meant);
  REQUIRE(one.does("first"));
  REQUIRE(one.does("previous-stop"));
  CHECK(one.value("lesson.page") == "3");
}

TEST_CASE("lecture: any click brings a black screen back", "[gui_state]") {
  Lecturer one;
  one.ring();
  REQUIRE(one.does("first"));
  REQUIRE(one.does("blank"));
  CHECK(one.value("blank") == "yes");
  REQUIRE(one.does("next-stop"));
  CHECK(one.value("blank") == "no");
  CHECK(one.moment() == "0.000");
  CHECK_FALSE(one.does("blank maybe"));
}

TEST_CASE("lecture: a script waits for the clicker", "[gui_state]") {
  Lecturer one;
  REQUIRE(one.does("theme light"));
  one.app.queue_script({"wait click", "theme dark", "wait click", "theme light"}, "test");
  one.app.update(1000);
  CHECK(one.value("theme") == "light");
  REQUIRE(one.does("blank on"));
  REQUIRE(one.does("next-stop"));  // brings the picture back
  one.app.update(1);
  CHECK(one.value("theme") == "light");
  REQUIRE(one.does("next-stop"));
  one.app.update(1);
  CHECK(one.value("theme") == "dark");
  REQUIRE(one.does("next-stop"));
  one.app.update(1);
  CHECK(one.value("theme") == "light");
  CHECK_FALSE(one.app.script_running());
  REQUIRE(one.does("next-stop"));  // the script has nothing more
  CHECK_THAT(one.message(), ContainsSubstring("start a run"));
}

TEST_CASE("lecture: in a rehearsal nobody clicks, and waits are shorter", "[gui_state]") {
  Lecturer one;
  REQUIRE(one.does("theme light"));
  REQUIRE(one.does("rehearse 0.5"));
  one.app.queue_script({"wait click", "theme dark", "wait 100", "theme light"}, "test");
  one.app.update(0);
  one.app.update(0.9);
  CHECK(one.value("theme") == "light");
  one.app.update(0.2);
  CHECK(one.value("theme") == "dark");
  one.app.update(49);
  CHECK(one.value("theme") == "dark");
  one.app.update(2);
  CHECK(one.value("theme") == "light");
  CHECK_FALSE(one.does("rehearse -1"));
  CHECK_FALSE(one.does("rehearse fast"));
  REQUIRE(one.does("rehearse off"));
  one.app.queue_script({"wait click", "theme dark"}, "test");
  one.app.update(1000);
  CHECK(one.value("theme") == "light");
}

TEST_CASE("lecture: the presenter's window and the notes", "[gui_state]") {
  Lecturer one;
  REQUIRE(one.does("lecturer on"));
  REQUIRE(one.does("presenter"));
  CHECK(one.value("presenter") == "open");
  CHECK(one.app.state().lecturing());
  CHECK_FALSE(one.app.state().lesson.lecturer);  // nobody else sees the notes
  CHECK_FALSE(one.does("lecturer on"));
  CHECK_THAT(one.message(), ContainsSubstring("presenter's window"));
  one.passes(90.5);
  CHECK(one.value("timer") == "90");
  CHECK(one.lecture().next_change_s <= 0.5);
  REQUIRE(one.does("timer pause"));
  one.passes(60);
  CHECK(one.value("timer") == "90");
  REQUIRE(one.does("timer start"));
  one.passes(10);
  CHECK(one.value("timer") == "100");
  REQUIRE(one.does("timer reset"));
  CHECK(one.value("timer") == "0");
  CHECK(one.lecture().timer_runs);
  CHECK_FALSE(one.does("timer tomorrow"));
  CHECK(one.does("screenshot x.png presenter"));
  REQUIRE(one.does("presenter off"));
  CHECK_FALSE(one.does("screenshot x.png presenter"));
  CHECK_THAT(one.message(), ContainsSubstring("presenter on"));
  CHECK_FALSE(one.does("screenshot x.png other"));
  one.passes(0);
  CHECK(one.lecture().next_change_s ==
        LectureState::kNever);  // no frame for a time that nobody sees
}

TEST_CASE("lecture: where the presenter's window was is remembered", "[gui_state]") {
  Settings settings;
  CHECK_FALSE(settings_from_json(to_json(settings), nullptr).presenter_place);
  settings.presenter_place = {-1920, 20, 900, 600};
  settings.window_place = {10, 20, 1280, 700};
  CHECK(settings_from_json(to_json(settings), nullptr).presenter_place == settings.presenter_place);
  CHECK(settings_from_json(to_json(settings), nullptr).window_place == settings.window_place);
  std::string complaint;
  const auto read =
      settings_from_json(R"({"presenter": {"x": 3, "y": 4, "width": 7}})", &complaint);
  CHECK_FALSE(read.presenter_place);
  CHECK_THAT(complaint, ContainsSubstring("presenter.width"));
}

TEST_CASE("lecture: how long a countdown is", "[gui_state]") {
  Lecturer one;
  for (const char* wrong : {"countdown 0", "countdown -5", "countdown 2:75", "countdown 1:2:3:4",
                            "countdown soon", "countdown 25:00:00", "countdown resume"}) {
    INFO(wrong);
    CHECK_FALSE(one.does(wrong));
    CHECK_FALSE(one.lecture().countdown);
  }
  REQUIRE(one.does("countdown 2:05"));
  CHECK(one.value("countdown") == "125");
  REQUIRE(one.does("countdown 1:00:00"));
  CHECK(one.value("countdown") == "3600");
  REQUIRE(one.does("countdown off"));
  CHECK_FALSE(one.lecture().countdown);
}

TEST_CASE("lecture: a countdown changes once a second, is paused, and ends calmly", "[gui_state]") {
  Lecturer one;
  REQUIRE(one.does("countdown 3"));
  const auto shows = [&](double seconds, const char* left, double next) {
    CHECK_FALSE(one.passes(seconds));
    CHECK(one.value("countdown") == left);
    CHECK(std::abs(one.lecture().next_change_s - next) < 1e-6);
  };
  shows(0.4, "3", 0.6);
  shows(0.7, "2", 0.9);
  REQUIRE(one.does("countdown"));
  CHECK(one.lecture().countdown->paused);
  shows(50, "2", LectureState::kNever);
  REQUIRE(one.does("countdown resume"));
  shows(1.5, "1", 0.4);
  shows(5, "0", LectureState::kNever);  // it stands there, and nothing is drawn again
  REQUIRE(one.does("next-stop"));
  CHECK_FALSE(one.lecture().countdown);
  REQUIRE(one.does("countdown"));
  CHECK(one.value("countdown") == "120");
}

TEST_CASE("lecture: pen and spotlight change nothing of the run", "[gui_state]") {
  Lecturer one;
  one.ring();
  const auto document = one.app.state().document;
  const auto moment = one.moment();
  REQUIRE(one.does("pen line 0.1,0.2 0.3,0.4"));
  REQUIRE(one.does("pen green"));
  CHECK(one.value("pen") == "yes");
  REQUIRE(one.does("pen line 0.5,0.5 1,1 0,0"));
  REQUIRE(one.lecture().strokes.size() == 2);
  CHECK(one.lecture().strokes[0].color == 0);
  CHECK(kPenColors[one.lecture().strokes[1].color].name == "green");
  CHECK(one.lecture().strokes[1].points.size() == 3);
  REQUIRE(one.does("pen undo"));
  CHECK(one.value("pen.lines") == "1");
  REQUIRE(one.does("pen clear"));
  CHECK(one.value("pen.lines") == "0");
  for (const char* wrong : {"pen line", "pen line 2,0", "pen line 0.5", "pen line a,b", "pen red",
                            "pen undo 3", "spotlight 3", "spotlight 1e9", "spotlight nan"}) {
    INFO(wrong);
    CHECK_FALSE(one.does(wrong));
  }
  REQUIRE(one.does("spotlight"));
  REQUIRE(one.does("spotlight 200"));
  CHECK(one.lecture().spotlight);
  CHECK(one.lecture().spotlight_radius == 200);
  REQUIRE(one.does("spotlight off"));
  CHECK(one.app.state().document == document);
  CHECK(one.moment() == moment);
}

TEST_CASE("lecture: the last minute is kept while somebody lectures, and written", "[gui_state]") {
  Lecturer one;
  auto& clips = one.app.group<LectureCommands>();
  CHECK(clips.wants_frame_in() == LectureState::kNever);
  CHECK_FALSE(one.does("record last " + quoted(one.home / "a.gif")));
  CHECK_THAT(one.message(), ContainsSubstring("record on"));
  REQUIRE(one.does("record on"));
  CHECK(clips.wants_frame_in() == 0);
  CHECK(clips.take_frame(plain(64, 48, 0xFF202020)));
  CHECK(clips.wants_frame_in() > 0);
  REQUIRE(eventually([&] { return clips.take_frame(plain(64, 48, 0xFFE0E0E0)); }));
  for (const char* wrong : {"record last", "record last 90 a.gif", "record last 0 a.gif",
                            "record last 5 a.svg", "record a b"}) {
    INFO(wrong);
    CHECK_FALSE(one.does(wrong));
  }
  CHECK(one.script({"record last 30 " + quoted(one.home / "a.gif"), "wait run"}).empty());
  CHECK(one.text("a.gif").starts_with("GIF89a"));
  CHECK_THAT(one.message(), ContainsSubstring("written: "));
  REQUIRE(one.does("record off"));
  CHECK(clips.wants_frame_in() == LectureState::kNever);
  REQUIRE(one.does("present on"));
  CHECK(clips.wants_frame_in() < 1);
  CHECK_FALSE(one.does("record " + quoted(one.home / "s.rankscript")));
  CHECK_THAT(one.message(), ContainsSubstring(".lecture.toml"));
}

TEST_CASE("lecture: kept pictures go after a minute, and come back as they were", "[gui_state]") {
  FrameRing ring;
  const auto add = [&](std::uint32_t color, double at) {
    REQUIRE(eventually([&] { return ring.add(plain(40, 30, color), at); }));
  };
  CHECK(ring.empty());
  CHECK_FALSE(ring.add(Pixels(), 0));  // of a window that is an icon there is none
  CHECK(ring.empty());
  for (int second = 0; second <= 100; ++second)
    add(0xFF000000U + static_cast<unsigned>(second), second);
  const auto last = ring.between(95.5, 100);
  REQUIRE(last.size() == 6);  // what had been shown since 95, to 100
  CHECK(last.front().at == 95);
  CHECK(unpack(last.back()).argb == plain(40, 30, 0xFF000000U + 100).argb);
  const auto all = ring.between(0, 100);
  CHECK(all.front().at == 40);
  CHECK(ring.bytes() < 100'000);
  CHECK(ring.between(200, 300).size() == 1);  // it still shows
}

TEST_CASE("lecture: a clip lasts as long as what it shows", "[gui_state]") {
  FrameRing ring;
  REQUIRE(ring.add(plain(40, 30, 0xFF102030), 10));
  REQUIRE(eventually([&] { return ring.add(plain(20, 30, 0xFF405060), 12); }));
  REQUIRE(eventually([&] { return ring.add(plain(40, 30, 0xFF708090), 12.5); }));
  const TemporaryFolder folder;
  std::size_t looks = 0;
  const auto frames = ring.between(11, 15);
  write_clip(frames, 11, 15, folder / "a.gif", [&](std::size_t, std::size_t all) {
    ++looks;
    CHECK(all == 3);
  });
  CHECK(looks == 3);
  std::ifstream in(folder / "a.gif", std::ios::binary);
  const std::string gif{std::istreambuf_iterator<char>(in), {}};
  std::vector<int> delays;  // hundredths of a second
  for (std::size_t at = 0; (at = gif.find("\x21\xF9\x04", at)) != std::string::npos; ++at)
    delays.push_back(static_cast<unsigned char>(gif[at + 4]) +
                     256 * static_cast<unsigned char>(gif[at + 5]));
  CHECK(delays == std::vector<int>{100, 50, 250});
  CHECK_THROWS(write_clip(frames, 11, 15, folder / "b.gif",
                          [](std::size_t, std::size_t) { throw std::runtime_error("stopped"); }));
  CHECK_FALSE(std::filesystem::exists(folder / "b.gif"));
}
