// Runs in the application: which are taken, what ends them, what a script waits for.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "gui/state/files/export_job.h"
#include "gui/state/files/settings_file.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

TEST_CASE("run: a trace that is opened stays, whatever a run does", "[gui_state]") {
  Driven driven;
  driven.ring();
  const std::string file = quoted(driven.home / "ring.rankscope");
  REQUIRE(driven.does("save " + file));
  REQUIRE(driven.does("run broadcast.binomial ranks=3 delay.0=300000 delay.1=300000"));
  REQUIRE(driven.until([&] { return driven.value("ranks") == "3"; }));
  REQUIRE(driven.does("open " + file));
  REQUIRE(driven.until([&] { return driven.value("algorithm") == "allreduce.ring"; }));
  CHECK_THAT(driven.message(), ContainsSubstring("the run was ended"));
  CHECK(driven.until([&] { return driven.value("status") == "idle"; }));
  driven.until([&] { return driven.value("algorithm") != "allreduce.ring"; }, 300);
  CHECK(driven.value("algorithm") == "allreduce.ring");
  CHECK(driven.value("problems") == "0");
  REQUIRE(driven.does("run"));  // runs are shown again
  CHECK(driven.until([&] { return driven.value("algorithm") == "broadcast.binomial"; }));
}

TEST_CASE("run: a run that is held is still", "[gui_state]") {
  Driven driven;
  CHECK(driven
            .script({"live allreduce.ring ranks=4 count=16", "wait still", "expect status running",
                     "release", "wait still", "expect message *released*", "release-round",
                     "wait still", "expect status running", "gate-resume", "wait still",
                     "expect status ok"})
            .empty());
}

TEST_CASE("run: more ranks than a window shows are refused", "[gui_state]") {
  Driven driven;
  for (const auto* command : {"run allreduce.ring ranks=65", "set ranks 1000", "live ranks=100"}) {
    INFO(command);
    CHECK_FALSE(driven.does(command));
    CHECK_THAT(driven.message(), ContainsSubstring("rankscope run"));
  }
  CHECK(driven.does("set ranks 64"));
  CHECK(driven.value("status") == "idle");
}

TEST_CASE("run: numbers that no run can have are refused", "[gui_state]") {
  Driven driven;
  for (const auto* word : {"timeout inf", "timeout nan", "timeout 1e300",
                           "count 4611686018427387904", "shape 4294967296x4294967296"}) {
    INFO(word);
    CHECK_FALSE(driven.does(std::string("set ") + word));
  }
  CHECK(driven.app.state().settings.job.timeout_s == JobSpec{}.timeout_s);
}

TEST_CASE("run: a wrong value is not run over", "[gui_state]") {
  Driven driven;
  driven.ring();
  CHECK_FALSE(driven.does("run shape=abc"));
  CHECK_THAT(driven.message(), ContainsSubstring("abc"));
  CHECK(driven.value("status") == "ok");
}

TEST_CASE("run: breakpoints are at lines that there are", "[gui_state]") {
  Driven driven;
  for (const auto* wrong : {"nosuch.cpp:10", ":0", ":5", "allreduce_ring.cpp:0",
                            "allreduce_ring.cpp:5000", "allreduce_ring.cpp"}) {
    INFO(wrong);
    CHECK_FALSE(driven.does("break " + quoted(wrong)));
    CHECK(driven.value("breakpoints") == "0");
  }
  REQUIRE(driven.does("break allreduce_ring.cpp:30"));
  // As the code's pane has it in its first line.
  driven.ring();
  const auto& breakpoints = driven.app.state().breakpoints;
  REQUIRE(breakpoints.size() == 1);
  CHECK(breakpoints[0].first == driven.app.state().document->trace().meta().sources[0].first);
  REQUIRE(driven.does("break engine/collectives/allreduce_ring.cpp:30"));
  CHECK(driven.value("breakpoints") == "0");
}

TEST_CASE("run: a loop is in the run", "[gui_state]") {
  Driven driven;
  driven.ring();
  CHECK_FALSE(driven.does("loop 100 200"));
  REQUIRE(driven.does("loop 2 200"));
  CHECK(driven.app.state().playback.loop->second == 6);
  // That of a longer run does not go on for ever.
  driven.app.mutable_state().playback.loop = {100, 200};
  REQUIRE(driven.does("play"));
  CHECK(driven.until([&] { return driven.value("playing") == "no"; }));
}

TEST_CASE("run: bookmarks belong to their trace", "[gui_state]") {
  Driven driven;
  driven.ring();
  REQUIRE(driven.does("bookmark here"));
  CHECK(driven.does("bookmark here"));
  CHECK(driven.value("bookmarks") == "1");
  REQUIRE(driven.does("save " + quoted(driven.home / "ring.rankscope")));
  REQUIRE(driven.script({"open " + quoted(driven.home / "ring.rankscope"), "wait run"}).empty());
  CHECK(driven.value("bookmarks") == "0");
  driven.does("undo");
  CHECK(driven.value("bookmarks") == "0");
}

TEST_CASE("run: where a held rank was stopped stays known", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("live allreduce.ring ranks=3 count=12"));
  REQUIRE(driven.script({"wait still", "release", "wait still"}).empty());
  const auto places = driven.app.state().live.places;
  REQUIRE(places.size() == 3);
  REQUIRE(::kill(driven.app.state().live.pids.at(1), SIGSTOP) == 0);
  REQUIRE(driven.until([&] { return driven.value("status") == "failed"; }));
  const auto& kept = driven.app.state().live.places;
  REQUIRE(kept.size() == 3);
  CHECK(kept[1].line == places[1].line);
}

TEST_CASE("run: the last order is answered on the status line", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.script({"live allreduce.ring ranks=3", "wait still", "release", "wait still"})
              .empty());
  driven.until([&] { return !driven.app.state().live.ordered; });
  CHECK(driven.message() == driven.app.state().live.answer);
  CHECK_THAT(driven.message(), ContainsSubstring("released"));
}

TEST_CASE("run: a recording can be carried out anywhere", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("record " + quoted(driven.home / "lecture")));
  driven.app.mutable_state().zoom_pane = Slot::side;
  for (const auto* command : {"palette", "palette", "shortcuts", "settings", "zoom-in",
                              "zoom-out main", "zoom-fit", "theme light"})
    CHECK(driven.does(command));
  REQUIRE(driven.does("record off"));
  const auto text = driven.text("lecture");
  CHECK(
      text.ends_with("command a line\nzoom-in side\nzoom-out main\nzoom-fit side\ntheme light\n"));
}

TEST_CASE("run: an export is of what is shown", "[gui_state]") {
  ExportJob job;
  job.output = "p.svg";
  job.diagram = "buffers";
  job.round = 1;
  auto words = words_of(job);
  CHECK(has(words, "--round"));
  CHECK(has(words, "--contributions"));
  job.values = true;
  CHECK(has(words_of(job), "--values"));
  job.output = "p.html";  // shows all rounds
  CHECK_FALSE(has(words_of(job), "--round"));
  for (const auto* view : {"code", "events", "problems", "processes", "lesson"}) {
    job.diagram = view;
    CHECK_THROWS_WITH(words_of(job), ContainsSubstring("copy-picture"));
  }
  job.diagram = "compare";
  CHECK_THROWS_AS(words_of(job), UserError);
  job.with = "other";
  CHECK(has(words_of(job), "--with"));
  job.output = "p.csv";
  job.diagram = "code";
  CHECK(words_of(job).size() == 6);

  Driven driven;
  driven.ring();
  REQUIRE(driven.does("view main buffers"));
  REQUIRE(driven.does("seek 1"));
  const std::string file = driven.home / "p.svg";
  REQUIRE(driven.script({"export " + quoted(file), "wait run"}).empty());
  CHECK_THAT(driven.text("p.svg"), ContainsSubstring("ound 1"));
  REQUIRE(driven.does("view main code"));
  CHECK_FALSE(driven.does("export " + quoted(file)));
}

TEST_CASE("run: files that are dropped", "[gui_state]") {
  Driven driven;
  driven.ring();
  const std::string one = driven.home / "one.rankscope", two = driven.home / "two.rankscope";
  REQUIRE(driven.does("save " + quoted(one)));
  driven.ring("ranks=3");
  REQUIRE(driven.does("save " + quoted(two)));
  driven.app.drop({one, two});
  CHECK(driven.until([&] { return driven.app.state().other && driven.value("ranks") == "4"; }));
  CHECK(driven.app.state().other->world_size() == 3);
  const std::string script = driven.home / "a.rankscript";
  std::ofstream(script) << "set ranks 7\n";
  driven.app.drop({script});
  CHECK(driven.until([&] { return driven.value("job.ranks") == "7"; }));
}
