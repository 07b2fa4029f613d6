// Reading, writing and repairing the settings file.
#include "gui/state/files/settings.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/stat.h>

#include "engine/core/base/error.h"
#include "gui/state/app/app.h"
#include "tests/gui_state/live.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

Settings unusual() {
  Settings s;
  s.theme = ThemeKind::contrast;
  s.ui_scale = 1.75;
  s.motion = false;
  s.values = s.portrait = s.critical_path = s.welcomed = true;
  s.labels = "bytes";
  s.layout.view = {"code", "matrix", "stage", "statistics"};
  s.layout.left = 0.3;
  s.layout.right_open = false;
  s.layout.maximized = Slot::side_lower;
  s.layouts = {{"my own", s.layout}, {"code", {}}};
  s.job.call.algorithm = "broadcast.chain";
  s.job.world.size = 6;
  s.job.world.delays_us = {0, 250};
  s.programs = {{"/a b/ring.py", 0, "allreduce:sum", "x", "/usr/bin/python3"},
                {"/c.cpp", 3, "", "", ""}};
  s.recent = {"/a b/\"c\".rankscope", "d"};
  return s;
}

void check_same(const Settings& a, const Settings& b) {
  CHECK(to_json(a) == to_json(b));
  CHECK(a.layout == b.layout);
  CHECK(a.layouts == b.layouts);
  CHECK(a.theme == b.theme);
  CHECK(a.recent == b.recent);
  CHECK(a.programs == b.programs);
  CHECK(a.job == b.job);
}

}  // namespace

TEST_CASE("settings: what is written is read", "[gui_state]") {
  std::string complaint = "old";
  for (const auto& settings : {Settings{}, unusual()})
    check_same(settings_from_json(to_json(settings), &complaint), settings);
  CHECK(complaint.empty());
}

TEST_CASE("settings: damage gives defaults, and says so", "[gui_state]") {
  const auto whole = to_json(unusual());
  std::string complaint;
  for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
    check_same(settings_from_json(whole.substr(0, length), &complaint), Settings{});
    CHECK_FALSE(complaint.empty());
  }
  for (const auto* text : {"[]", "3", "null", "\"x\"", "{\"theme\": \"\xff\"}"}) {
    check_same(settings_from_json(text, nullptr), Settings{});
  }
}

TEST_CASE("settings: only what is wrong takes its default", "[gui_state]") {
  std::string complaint;
  const auto settings = settings_from_json(
      R"({"theme": "pink", "ui_scale": 99, "motion": "no", "values": true, "labels": 3,
          "recent": ["a", 1], "layout": {"left": -1, "right": 0.4, "views": {"main": 5, "side": "matrix"},
          "maximized": "nowhere"}, "job": {"algorithm": "allreduce.none"},
          "layouts": [3, {"name": ""}, {"name": "good", "left": "wide"}], "future": {"x": []}})",
      &complaint);
  CHECK(settings.theme == ThemeKind::dark);
  CHECK(settings.ui_scale == 1);
  CHECK(settings.motion);
  CHECK(settings.values);
  CHECK(settings.labels == "chunks");
  CHECK(settings.recent == std::vector<std::string>{"a"});
  CHECK(settings.layout.left == Layout{}.left);
  CHECK(settings.layout.right == 0.4);
  CHECK(settings.layout.view[0] == Layout{}.view[0]);
  CHECK(settings.layout.view[2] == "matrix");
  CHECK_FALSE(settings.layout.maximized);
  REQUIRE(settings.layouts.size() == 1);
  CHECK(settings.layouts[0].name == "good");
  CHECK(settings.layouts[0].layout.left == Layout{}.left);
  CHECK(settings.job.call.algorithm == JobSpec{}.call.algorithm);
  for (const auto* name : {"theme", "ui_scale", "motion", "labels", "recent", "layout.left",
                           "layout.views.main", "layout.maximized", "layouts", "job"})
    CHECK_THAT(complaint, ContainsSubstring(name));
  CHECK(complaint.find("values") == std::string::npos);
  CHECK(complaint.find("future") == std::string::npos);
}

TEST_CASE("settings: the file", "[gui_state]") {
  OwnHome home;
  std::string complaint = "old";
  check_same(read_settings(&complaint), Settings{});
  CHECK(complaint.empty());
  write_settings(Settings{});
  write_settings(unusual());
  check_same(read_settings(&complaint), unusual());
  CHECK(complaint.empty());
  const auto folder = settings_path().parent_path();
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) ==
        1);  // nothing half-written
  std::ofstream(settings_path()) << "{";
  check_same(read_settings(&complaint), Settings{});
  CHECK_THAT(complaint, ContainsSubstring("gui.json"));
}

TEST_CASE("settings: what is there is no file", "[gui_state]") {
  const OwnHome home;
  std::string complaint;
  const auto path = settings_path();
  std::filesystem::create_directories(path);
  check_same(read_settings(&complaint), Settings{});
  CHECK_THAT(complaint, ContainsSubstring("gui.json"));
  std::filesystem::remove(path);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  check_same(read_settings(&complaint), Settings{});
  CHECK_THAT(complaint, ContainsSubstring("gui.json"));
}

TEST_CASE("settings: views that there are not, and the file that they stood in", "[gui_state]") {
  const OwnHome home;
  write_settings({});
  const std::string text =
      R"({"layout": {"views": {"main": "bogus", "side": "matrix"}}, "job": {"world_size": 65}})";
  std::ofstream(settings_path()) << text;
  std::string complaint;
  const auto settings = read_settings(&complaint);
  CHECK(settings.layout.at(Slot::main) == "spacetime");
  CHECK(settings.layout.at(Slot::side) == "matrix");
  CHECK_THAT(complaint, ContainsSubstring("layout.views.main"));
  write_settings(settings);
  std::ifstream kept(settings_path().string() + ".bad");
  CHECK(std::string(std::istreambuf_iterator<char>(kept), {}) == text);
}

TEST_CASE("settings: what holds for one start only is not remembered", "[gui_state]") {
  const OwnHome home;
  AppOptions options;
  options.worker_program = rankscope_binary().string();
  const auto start = [&](bool keep, const std::vector<std::string>& lines, bool look = false) {
    options.keep_settings = keep;
    App app(options);
    if (look) app.look_for_now("light", 2.0);
    for (const auto& line : lines) CHECK(app.execute(parse_command(line)));
    app.update(0.1);
  };
  start(true, {"theme contrast", "scale 1.5"});
  start(false, {"theme dark"});
  CHECK(read_settings(nullptr).theme == ThemeKind::contrast);
  start(true, {"labels none"}, true);
  CHECK(read_settings(nullptr).theme == ThemeKind::contrast);
  CHECK(read_settings(nullptr).ui_scale == 1.5);
  CHECK(read_settings(nullptr).labels == "none");
  start(true, {"theme dark"}, true);  // chosen since
  CHECK(read_settings(nullptr).theme == ThemeKind::dark);
  App app(options);
  CHECK_THROWS_AS(app.look_for_now("purple", std::nullopt), UserError);
  CHECK_THROWS_AS(app.look_for_now("", 10.0), UserError);
  CHECK_THROWS_AS(app.look_for_now("", std::nan("")), UserError);
}

TEST_CASE("settings: the panes' borders are remembered", "[gui_state]") {
  const OwnHome home;
  {
    App app({rankscope_binary().string()});
    app.mutable_state().settings.layout.right = 0.41;
    app.layout_changed();
  }
  CHECK(read_settings(nullptr).layout.right == 0.41);
}

TEST_CASE("settings: a place that cannot be written", "[gui_state]") {
  OwnHome home;
  std::ofstream(home / "config") << "a file";
  CHECK_THROWS_AS(write_settings({}), UserError);
}
