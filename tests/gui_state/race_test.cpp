// A race: what its words mean, and how its runs are shown.
#include "engine/core/base/error.h"
#include "gui/state/app/race_commands.h"
#include "gui/state/files/settings.h"
#include "gui/state/model/workspace.h"
#include "tests/gui_state/driven.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

std::string raced(const std::string& words, const std::string& algorithm = "allreduce.ring") {
  JobSpec job;
  job.call.algorithm = algorithm;
  std::string text;
  for (const JobSpec& one : jobs_of_race(job, words))
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", one.call.algorithm, one.world.size);
  return text;
}

}  // namespace

TEST_CASE("race: its words", "[gui_state]") {
  CHECK(raced("ring bde") == "allreduce.ring 4, allreduce.bde 4");
  CHECK(raced("Ring against butterfly on 8 ranks") == "allreduce.ring 8, allreduce.bde 8");
  CHECK(raced("bde ring", "allreduce.bde") == "allreduce.bde 4, allreduce.ring 4");
  CHECK(raced("broadcast binomial, chain and flat") ==
        "broadcast.binomial 4, broadcast.chain 4, broadcast.flat 4");
  CHECK_THROWS_WITH(raced("ring"), ContainsSubstring("name 2 to 4"));
  CHECK_THROWS_WITH(raced("ring bde flat mst tree"), ContainsSubstring("name 2 to 4"));
  CHECK_THROWS_WITH(raced("ring ring"), ContainsSubstring("against itself"));
  CHECK_THROWS_WITH(raced("allreduce.ring broadcast.flat"), ContainsSubstring("one collective"));
  CHECK_THROWS_WITH(raced("ring bde sideways"), ContainsSubstring("not understood"));
}

TEST_CASE("race: runs one after the other, and the longest one is what other views show",
          "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("race bde ring"));
  CHECK(driven.value("race") == "running");
  CHECK(driven.value("status") == "running");
  CHECK_FALSE(driven.does("race ring flat"));
  REQUIRE(driven.until([&] { return driven.value("race") == "done"; }));
  CHECK(driven.value("race.runs") == "2");
  CHECK(driven.value("status") == "ok");
  CHECK(driven.value("view.main") == "race");
  CHECK(driven.value("algorithm") == "allreduce.ring");  // 6 rounds, not 2
  CHECK(driven.value("end") == "6.000");
  CHECK_THAT(driven.value("race.verdict"), ContainsSubstring("bde 2, ring 6"));
  CHECK_THAT(driven.value("race.difference"), ContainsSubstring("first differ in round 1"));
  REQUIRE(driven.does("save race.rankscope"));
  REQUIRE(driven.does("clock measured"));
  driven.app.update(0.01);
  CHECK(driven.value("race") == "done");

  driven.ring();  // another run takes its place
  REQUIRE(driven.until([&] { return driven.value("race") == "off"; }));
  CHECK(driven.value("view.main") != "race");
}

TEST_CASE("race: a run that fails ends it, and says why", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("set timeout 0.2"));
  REQUIRE(driven.does("set delay.1 2000000"));
  REQUIRE(driven.does("say race ring bde"));
  REQUIRE(driven.until([&] { return driven.value("race") == "off"; }));
  CHECK(driven.value("problems") == "1");
}

TEST_CASE("race: a layout that shows one brings it back, and never an empty picture",
          "[gui_state]") {
  Driven driven;
  const auto done = [&] { return driven.value("race") == "done"; };
  REQUIRE(driven.does("race bde ring on 3 ranks with 6 int32"));
  REQUIRE(driven.until(done));
  const std::string words = race_words_of(driven.app.state().race.runs);
  REQUIRE(driven.does("layout save duel"));
  driven.ring();
  REQUIRE(driven.until([&] { return driven.value("race") == "off"; }));
  REQUIRE(driven.does("layout standard"));
  REQUIRE(driven.does("layout duel"));
  REQUIRE(driven.until(done));
  CHECK(race_words_of(driven.app.state().race.runs) == words);
  CHECK(driven.value("ranks") == "3");
  CHECK(driven.value("view.main") == "race");
  REQUIRE(driven.does("layout duel"));  // it is there: nothing runs again
  CHECK(driven.value("race") == "done");

  Settings settings;
  settings.layout.view[0] = "race";  // when the window was closed
  settings.layouts = driven.app.state().settings.layouts;
  const Settings again = settings_from_json(to_json(settings), nullptr);
  CHECK(again.layout.view[0] != "race");
  CHECK(again.layouts == settings.layouts);
}

TEST_CASE("race: a what-if changes all of it, and the model or virtual time answers",
          "[gui_state]") {
  Driven driven;
  const auto& state = driven.app.state();
  const auto answered = [&] {
    return driven.until([&] { return !state.asked.answer.empty() && !state.asked.waits; });
  };
  REQUIRE(driven.does("race ring bde"));
  REQUIRE(driven.until([&] { return driven.value("race") == "done"; }));
  REQUIRE(driven.does("say what about 6 ranks"));
  REQUIRE(answered());
  CHECK(driven.value("race.runs") == "2");
  CHECK(driven.value("ranks") == "6");
  CHECK_THAT(driven.value("answer"), ContainsSubstring("6 ranks: ring 50 µs, bde 20 µs") &&
                                         ContainsSubstring("by the model; bde is 2.5 times"));
  // Of the race before, and with more data than processes would take at once.
  REQUIRE(driven.does("say is doubling still faster with 100 MB?"));
  REQUIRE(answered());
  CHECK(driven.value("changes") == "100 MB");
  CHECK(driven.value("race.runs") == "2");
  CHECK(driven.value("ranks") == "4");
  CHECK_THAT(driven.value("answer"),
             ContainsSubstring("100 MB: ring") && ContainsSubstring("ring is 1.3 times as fast"));
  REQUIRE(driven.does("take-off data"));
  REQUIRE(answered());
  CHECK(driven.value("changes").empty());
  REQUIRE(driven.does("say what about rabenseifner"));
  REQUIRE(answered());
  CHECK(driven.value("race.runs") == "3");
}
