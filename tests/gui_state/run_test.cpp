// Runs in the application: which are taken, what ends them, what a script waits for.
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "gui/state/files/settings.h"
#include "gui/state/model/export_job.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

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
  const auto errors = driven.script(
      {"live allreduce.ring ranks=4 count=16", "wait still", "expect status running", "release",
       "wait still", "expect message *released*", "release-round", "wait still",
       "expect status running", "gate-resume", "wait still", "expect status ok"});
  CHECK(errors == std::vector<std::string>{});
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

TEST_CASE("run: short names and numbers are understood", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("live ring 3 count=6"));
  CHECK(driven.value("job.algorithm") == "allreduce.ring");
  CHECK(driven.value("job.ranks") == "3");
  REQUIRE(driven.until([&] { return driven.app.state().live.stepping; }));
  REQUIRE(driven.does("stop"));
  REQUIRE(driven.until([&] { return driven.value("status") != "running"; }));
  CHECK_FALSE(driven.does("live sideways 4"));
  CHECK_THAT(driven.message(), ContainsSubstring("not understood"));
}

TEST_CASE("run: inputs are those that one can check", "[gui_state]") {
  CHECK(Settings().job.data.input == InputPattern::rank);
  Settings chosen;
  chosen.job.data.input = InputPattern::exact;
  CHECK(settings_from_json(to_json(chosen), nullptr).job.data.input == InputPattern::exact);
}

TEST_CASE("run: what is not there is named, with what to do", "[gui_state]") {
  Driven driven;
  driven.ring("count=2");
  const auto refuses = [&](const std::string& line, const char* why) {
    INFO(line);
    CHECK_FALSE(driven.does(line));
    CHECK_THAT(driven.message(), ContainsSubstring(why));
  };
  refuses("export a.svg nonsense", "there is no diagram \"nonsense\"");
  refuses("export a.svg spacetim", "did you mean 'spacetime'");
  refuses("export a.svg problems", "is no diagram");
  refuses("editor /nope:3", "there is no file /nope");
  refuses("editor /tmp", "is a folder");
  refuses("select chunk 2", "the trace has 2");
  CHECK(driven.does("select chunk 1"));
}

TEST_CASE("run: numbers that no run can have are refused", "[gui_state]") {
  Driven driven;
  for (const auto* word : {"timeout inf", "timeout nan", "timeout 1e300",
                           "count 4611686018427387904", "shape 4294967296x4294967296"}) {
    INFO(word);
    CHECK_FALSE(driven.does(std::string("set ") + word));
  }
  CHECK(driven.app.state().settings.job.recording.timeout_s == JobSpec{}.recording.timeout_s);
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

TEST_CASE("run: an export is of what is shown", "[gui_state]") {
  Driven driven;
  driven.ring();
  const auto asked = [&](const std::string& file, const std::string& view) {
    return export_of(driven.app.state(), file, view, {});
  };
  REQUIRE(driven.does("seek 1"));
  CHECK(asked("p.svg", "buffers").request.round == 1);
  CHECK(asked("p.svg", "graph").request.round == 1);
  CHECK_FALSE(asked("p.svg", "buffers").request.values);
  CHECK(asked("p.svg", "table").request.values);
  CHECK(asked("p.html", "buffers").request.round == -1);  // shows all rounds
  REQUIRE(driven.does("values on"));
  CHECK(asked("p.svg", "buffers").request.values);
  REQUIRE(driven.does("portrait on"));
  CHECK(asked("p.svg", "player").request.portrait);
  CHECK_FALSE(asked("p.svg", "matrix").request.portrait);
  for (const auto* view : {"code", "events", "problems", "lesson"})
    CHECK_THROWS_WITH(asked("p.svg", view), ContainsSubstring("copy-picture"));
  CHECK_THROWS_WITH(asked("p.tiff", "graph"), ContainsSubstring(".jsonl or .csv"));
  CHECK_THROWS_AS(asked("p.svg", "compare"), UserError);
  REQUIRE(driven.does("compare keep"));
  CHECK(asked("p.svg", "compare").request.other == &driven.app.state().other->analysis());
  CHECK(asked("p.csv", "code").kind == nullptr);

  REQUIRE(driven.does("view main buffers"));
  const std::string file = driven.home / "p.svg";
  REQUIRE(driven.script({"export " + quoted(file), "wait run"}).empty());
  CHECK_THAT(driven.text("p.svg"), ContainsSubstring("ound 1"));
  REQUIRE(driven.does("view main code"));
  CHECK_FALSE(driven.does("export " + quoted(file)));
  // Nothing of it was saved.
  REQUIRE(driven.script({"export " + quoted(file) + " compare", "wait run"}).empty());
  CHECK_THAT(driven.text("p.svg"), ContainsSubstring("allreduce.ring"));
}

TEST_CASE("run: every diagram and the data are exported from the window", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("run alltoall.pairwise ranks=4 count=16 topology=star"));
  REQUIRE(driven.until([&] { return driven.value("status") == "ok"; }));
  REQUIRE(driven.does("compare keep"));
  std::vector<std::string> lines;
  for (const DiagramKind& kind : diagrams())
    lines.insert(lines.end(),
                 {fmt::format("export {} {}",
                              quoted(driven.home / (std::string(kind.name) + ".svg")), kind.name),
                  "wait run"});
  for (const auto* name : {"a.json", "a.jsonl", "a.csv"})
    lines.insert(lines.end(), {"export " + quoted(driven.home / name), "wait run"});
  CHECK(driven.script(lines).empty());
  for (const DiagramKind& kind : diagrams())
    CHECK(driven.text(std::string(kind.name) + ".svg").ends_with("</svg>\n"));
  CHECK_THAT(driven.text("a.csv"), ContainsSubstring("recv"));
}

TEST_CASE("run: an export reports how far it is, is stopped, and ends with the window",
          "[gui_state]") {
  const TemporaryFolder folder;
  const std::string file = folder / "p.gif";
  {
    Driven driven;
    REQUIRE(driven.does("run allreduce.ring ranks=8 count=64"));
    REQUIRE(driven.until([&] { return driven.value("status") == "ok"; }));
    CHECK_FALSE(driven.does("stop-export"));
    REQUIRE(driven.does("export " + quoted(file) + " spacetime"));
    CHECK_FALSE(driven.does("export " + quoted(file) + " spacetime"));
    REQUIRE(driven.until(
        [&] { return driven.app.state().exporting.find(": frame ") != std::string::npos; }));
    REQUIRE(driven.does("stop-export"));
    REQUIRE(driven.until([&] { return driven.app.state().exporting.empty(); }));
    CHECK_THAT(driven.message(), ContainsSubstring("was not written"));
    CHECK_FALSE(std::filesystem::exists(file));
    REQUIRE(driven.does("export " + quoted(file) + " spacetime"));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
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
