// The real program, driven by scripts.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "engine/collectives/algorithm.h"
#include "tests/gui/picture.h"
#include "tests/gui/screen.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace rankscope;
using namespace rankscope::test;

namespace {

void require_ok(const Finished& done) {
  INFO(done.out << '\n' << done.err);
  REQUIRE_FALSE(done.timed_out);
  REQUIRE(done.exit_code == 0);
}

std::string start_of(const std::string& file, std::size_t length) {
  std::ifstream in(file, std::ios::binary);
  std::string text(length, '\0');
  in.read(text.data(), static_cast<std::streamsize>(length));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

const std::vector<std::string> kRing = {"run allreduce.ring ranks=4 count=16 dtype=int64",
                                        "wait run"};

std::vector<std::string> with_ring(std::vector<std::string> lines) {
  lines.insert(lines.begin(), kRing.begin(), kRing.end());
  return lines;
}

}  // namespace

TEST_CASE("an algorithm of each collective runs and is right", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  std::vector<std::string> lines;
  std::set<Collective> collectives;
  for (const auto& algorithm : algorithms()) {
    const std::string name(algorithm.name);
    if (!collectives.insert(algorithm.collective).second) continue;
    lines.insert(lines.end(), {"run " + name + " ranks=4 count=16", "wait run", "expect status ok",
                               "expect algorithm " + name, "expect ranks 4", "expect problems 0"});
    if (traits(algorithm.collective).in != Extent::nothing) lines.emplace_back("first");
    lines.insert(lines.end(), {"step", "last", "wait 0.1"});
  }
  CHECK(collectives.size() == 11);
  require_ok(screen.script(lines));
}

TEST_CASE("steps lead forwards, and back to the same picture", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  require_ok(screen.script(with_ring({"expect rounds 6",
                                      "expect messages 24",
                                      "expect moment 1.000",
                                      "first",
                                      "expect moment 0.000",
                                      "step",
                                      "expect moment 1.000",
                                      "step",
                                      "wait 0.3",
                                      "screenshot a.png",
                                      "step",
                                      "expect moment 3.000",
                                      "wait 0.3",
                                      "screenshot b.png",
                                      "step-back",
                                      "expect moment 2.000",
                                      "wait 0.3",
                                      "screenshot c.png",
                                      "seek 4.5",
                                      "expect moment 4.500",
                                      "step",
                                      "expect moment 5.000",
                                      "seek 1e9",
                                      "expect moment 6.000",
                                      "seek -3",
                                      "expect moment 0.000",
                                      "last",
                                      "expect moment 6.000",
                                      "next-round",
                                      "expect moment 6.000"})));
  const Picture a(screen / "a.png"), b(screen / "b.png"), c(screen / "c.png");
  CHECK(a.differences(b) > 100);
  CHECK(a.differences(c) == 0);
}

TEST_CASE("a picture comes nearer, and fits again", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  require_ok(screen.script(
      with_ring({"wait 0.3", "screenshot whole.png", "zoom-in main", "zoom-in", "wait 0.3",
                 "screenshot near.png", "zoom-out", "wait 0.3", "screenshot less.png", "zoom-fit",
                 "wait 0.3", "screenshot again.png", "layout lecture", "expect panels *lower*",
                 "wait 0.3", "screenshot lecture.png"})));
  const Picture whole(screen / "whole.png"), near(screen / "near.png"), less(screen / "less.png");
  CHECK(whole.differences(near) > 1000);
  CHECK(near.differences(less) > 1000);
  CHECK(whole.differences(less) > 1000);
  CHECK(whole.differences(Picture(screen / "again.png")) == 0);
  CHECK(whole.differences(Picture(screen / "lecture.png")) > 1000);
}

TEST_CASE("messages, ranks and events are selected", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  require_ok(screen.script(
      with_ring({"wait 0.2", "screenshot before.png", "select message 3",
                 "expect selected-message 3", "wait 0.2", "screenshot after.png", "select rank 2",
                 "expect selected-rank 2", "expect selected-message -1", "select event 10",
                 "select none", "expect selected-rank -1"})));
  CHECK(Picture(screen / "before.png").differences(Picture(screen / "after.png")) > 100);
}

TEST_CASE("a selection changes every view of the run", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  std::vector<std::string> lines = {"run alltoall.pairwise ranks=4 count=16 dtype=int64",
                                    "wait run", "seek 1.4"};
  const std::vector<std::string> views = {"stage",  "spacetime",  "buffers",
                                          "matrix", "statistics", "schematic"};
  for (const auto& view : views) {
    lines.insert(lines.end(),
                 {"view main " + view, "select none", "wait 0.3", "screenshot " + view + ".png",
                  "select rank 2", "wait 0.3", "screenshot " + view + "-rank.png",
                  "select message 5", "wait 0.3", "screenshot " + view + "-message.png"});
    if (view == "buffers")
      lines.insert(lines.end(), {"select chunk 1", "wait 0.3", "screenshot buffers-chunk.png"});
  }
  require_ok(screen.script(lines));
  for (const auto& view : views) {
    INFO(view);
    const Picture before(screen / (view + ".png"));
    const Picture rank(screen / (view + "-rank.png")), message(screen / (view + "-message.png"));
    CHECK(before.differences(rank) > 300);
    CHECK(before.differences(message) > 300);
    CHECK(rank.differences(message) > 100);
  }
  const Picture chunk(screen / "buffers-chunk.png");
  CHECK(chunk.differences(Picture(screen / "buffers.png")) > 300);
}

TEST_CASE("bookmarks, undo and redo", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  require_ok(screen.script(with_ring({"seek 2",
                                      "bookmark first round",
                                      "seek 4",
                                      "bookmark",
                                      "expect bookmarks 2",
                                      "undo",
                                      "expect bookmarks 1",
                                      "redo",
                                      "expect bookmarks 2",
                                      "first",
                                      "next-bookmark",
                                      "expect moment 2.000",
                                      "next-bookmark",
                                      "expect moment 4.000",
                                      "previous-bookmark",
                                      "expect moment 2.000",
                                      "remove-bookmark 1",
                                      "expect bookmarks 1",
                                      "view main matrix",
                                      "expect view.main matrix",
                                      "undo",
                                      "expect view.main stage",
                                      "redo",
                                      "expect view.main matrix",
                                      "set ranks 7",
                                      "expect job.ranks 7",
                                      "undo",
                                      "expect job.ranks 4"})));
}

TEST_CASE("a rank that is killed is a problem with its name", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  require_ok(screen.script({"set algorithm allreduce.ring", "set ranks 4", "live allreduce.ring",
                            "wait still", "kill 2", "wait run", "wait problem *rank 2*",
                            "expect message *rank 2*", "run", "wait run", "expect status ok",
                            "expect problems 0"}));
}

TEST_CASE("ranks are held, released and stopped", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  require_ok(
      screen.script({"live allreduce.ring ranks=4 count=16", "wait still", "release", "wait still",
                     "release 1", "wait still", "release-round", "wait still",
                     "screenshot held.png", "expect status running", "gate-resume", "wait run",
                     "expect status ok", "expect problems 0", "live broadcast.binomial ranks=5",
                     "wait still", "stop", "wait run", "expect status interrupted"}));
}

TEST_CASE("files that cannot be opened are reported", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  std::ofstream(screen / "broken.rankscope")
      << "this is no trace at all, but it is long enough to be read as one";
  std::ofstream(screen / "empty.rankscope").flush();
  std::filesystem::create_directory(screen / "folder.rankscope");
  for (const auto* name : {"broken", "empty", "folder", "missing"}) {
    INFO(name);
    const auto file = screen / (std::string(name) + ".rankscope");
    const auto done = screen.script(
        {"open " + file, "wait run", "wait problem *" + std::string(name) + ".rankscope*",
         "run allreduce.ring ranks=2", "wait run", "expect status ok", "expect problems 0"});
    INFO(done.err);
    CHECK(done.exit_code == 1);  // for the first line, and it alone
    CHECK_THAT(done.err, ContainsSubstring("test.rankscript:1"));
    CHECK(done.err.find("test.rankscript:3") == std::string::npos);
  }
  // As an argument, too; and a trace that lacks its end still opens.
  const auto made = run_rankscope(
      {"run", "allreduce.ring", "-n", "4", "-t", "inproc", "-q", "-o", screen / "whole.rankscope"});
  REQUIRE(made.exit_code == 0);
  const auto whole = start_of(screen / "whole.rankscope", 1 << 20);
  std::ofstream(screen / "cut.rankscope", std::ios::binary)
      << whole.substr(0, whole.size() * 9 / 10);
  require_ok(screen.gui(
      {screen / "cut.rankscope", "-c", "wait run", "-c", "wait problems 1", "-c", "quit"}));
}

TEST_CASE("two runs are compared", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  require_ok(screen.script(with_ring(
      {"compare keep", "expect other allreduce.ring", "run allreduce.tree", "wait run",
       "view main compare", "first", "step", "wait 0.3", "screenshot compare.png",
       "save tree.rankscope", "compare tree.rankscope", "wait run", "wait other allreduce.tree",
       "expect view.main compare", "compare off", "view main spacetime"})));
  CHECK(Picture(screen / "compare.png").colors() > 20);
}

TEST_CASE("what is saved opens again, and pictures are exported", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  require_ok(screen.script(with_ring(
      {"save ring.rankscope", "export ring.svg spacetime", "wait run", "export ring.pdf spacetime",
       "wait run", "export ring.csv", "wait run", "run broadcast.binomial ranks=3", "wait run",
       "expect ranks 3", "open ring.rankscope", "wait run", "wait ranks 4",
       "expect algorithm allreduce.ring", "expect messages 24"})));
  CHECK(start_of(screen / "ring.svg", 4000).find("<svg") != std::string::npos);
  CHECK(start_of(screen / "ring.pdf", 5) == "%PDF-");
  CHECK(run_rankscope({"trace", "info", screen / "ring.rankscope"}).exit_code == 0);
}

TEST_CASE("settings are remembered from one start to the next", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  require_ok(screen.script({"theme light", "scale 1.25", "set algorithm broadcast.binomial",
                            "set ranks 6", "view main matrix", "welcome off"}));
  require_ok(screen.script({"expect theme light", "expect scale 1.25",
                            "expect job.algorithm broadcast.binomial", "expect job.ranks 6",
                            "expect view.main matrix"}));
  require_ok(
      screen.script({"expect theme dark", "expect scale 1.00", "theme contrast"}, {"--fresh"}));
  require_ok(screen.script({"expect theme light"}));
  // A file that somebody has spoilt.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(screen / "config"))
    if (entry.is_regular_file()) std::ofstream(entry.path()) << "{\"theme\": [[[";
  require_ok(screen.script({"expect theme dark"}));
}

TEST_CASE("a picture changes nothing that is remembered, and does not wait for ever", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  require_ok(screen.script({"theme contrast"}));
  require_ok(
      screen.gui({"--theme", "light", "-c", "live allreduce.ring ranks=4", "-c", "wait still", "-c",
                  "release", "-c", "labels none", "--screenshot", "held.png"}));
  CHECK(Picture(screen / "held.png").colors() > 50);
  require_ok(screen.script({"expect theme contrast", "expect labels chunks"}));
  CHECK(screen.gui({"missing.rankscope", "--screenshot", "p.png"}).exit_code == 1);
}

TEST_CASE("mistakes in a script are named with file and line", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  const auto wrong =
      screen.script({"# a comment", "", "theme dark", "rnu allreduce.ring", "theme light"});
  CHECK(wrong.exit_code == 1);
  CHECK_THAT(wrong.err, ContainsSubstring("test.rankscript:4"));
  CHECK_THAT(wrong.err, ContainsSubstring("run"));
  const auto unmet = screen.script({"expect theme contrast"});
  CHECK(unmet.exit_code == 1);
  CHECK_THAT(unmet.err, ContainsSubstring("test.rankscript:1"));
  const auto circle = screen.script({"script test.rankscript"});
  CHECK_FALSE(circle.timed_out);
  CHECK(circle.exit_code == 1);
  const auto none = screen.gui({"--script", "none.rankscript", "-c", "quit"});
  CHECK(none.exit_code != 0);
}

TEST_CASE("wrong options, and no display", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  const auto wrong = screen.gui({"--no-such-option"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, ContainsSubstring("--help"));
  CHECK(screen.gui({"--size", "big", "-c", "quit"}).exit_code == 2);
  for (const auto* size : {"0x0", "-5x-5", "800x600garbage", "99999x99999", "800"})
    CHECK(screen.gui({"--size", size, "-c", "quit"}).exit_code == 2);
  for (const auto* scale : {"10", "nan", "0", "-1"})
    CHECK(screen.gui({"--hidden", "--scale", scale, "-c", "quit"}).exit_code == 2);
  CHECK(screen.gui({"--hidden", "--theme", "purple", "-c", "quit"}).exit_code == 2);
  CHECK(screen.gui({"--help"}).exit_code == 0);
  CHECK(screen.gui({"--version"}).exit_code == 0);
  CHECK_THAT(screen.gui({"--commands"}).out, ContainsSubstring("toggle-play"));
  ProcessOptions nowhere;
  nowhere.environment = screen.environment();
  std::erase_if(nowhere.environment, [](const auto& v) { return v.first == "DISPLAY"; });
  nowhere.environment.emplace_back("DISPLAY", "");
  for (const auto* display : {"", ":9999"}) {
    nowhere.environment.back().second = display;
    const auto blind = run_process({gui_program()}, nowhere);
    CHECK(blind.exit_code == 2);
    CHECK_THAT(blind.err, ContainsSubstring("rankscope demo"));
  }
}

TEST_CASE("a workspace brings back trace, views and bookmarks", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  require_ok(screen.script(
      with_ring({"save ring.rankscope", "open ring.rankscope", "wait run", "wait messages 24",
                 "seek 2", "bookmark \"here it is half\"", "seek 4", "bookmark",
                 "view lower matrix", "values on", "seek 3", "workspace lecture.rankscript"})));
  require_ok(
      screen.script({"script lecture.rankscript", "wait run", "expect messages 24",
                     "expect bookmarks 2", "expect moment 3.000", "expect view.lower matrix"}));
}

TEST_CASE("the picture of a pane goes to the clipboard's tool", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  const std::string tool = screen / "xclip", got = screen / "got.png";
  std::ofstream(tool) << "#!/bin/sh\ncat >'" << got << "'\n";
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  const std::string script = screen.write_script(
      with_ring({"wait 0.3", "copy-picture lower", "wait run", "expect message *on the clipboard*",
                 "screenshot all.png", "quit"}));
  auto environment = screen.environment();
  environment.emplace_back("PATH", screen.folder() + ":/usr/bin:/bin");
  environment.emplace_back("WAYLAND_DISPLAY", "");
  ProcessOptions options;
  options.environment = environment;
  options.folder = screen.folder();
  const auto done = run_process(
      {gui_program(), "--fresh", "--hidden", "--size", "1280x720", "--script", script}, options);
  require_ok(done);
  const Picture part(got), all(screen / "all.png");
  CHECK(part.width > 200);
  CHECK(part.width < all.width);
  CHECK(part.height > 100);
  CHECK(part.height < all.height);
  CHECK(part.colors() > 20);  // buffers in their colours
}

TEST_CASE("zooming to a phase shows it larger, and fitting brings all back", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  require_ok(screen.script(
      with_ring({"seek 4.5", "view main spacetime", "maximize main", "wait 0.5",
                 "screenshot all.png", "zoom phase", "wait 0.5", "screenshot phase.png", "zoom fit",
                 "wait 0.5", "screenshot again.png"})));
  const Picture all(screen / "all.png"), phase(screen / "phase.png"), again(screen / "again.png");
  CHECK(all.differences(phase) > 5000);
  CHECK(all.differences(again) == 0);
}
