// The history of speed: one line a release and machine, read back as it was written.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "cli/bench/bench.h"
#include "cli/bench/history.h"
#include "cli/profile/bench_options.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

using namespace rankscope;
using namespace rankscope::cli;

namespace {

Goal history_goal(const std::string& key, double score) {
  return scored_goal("what", "figure", score, key);
}

}  // namespace

TEST_CASE("cli: bench is carried out by a program of its own", "[cli]") {
  const auto unknown = "bench has no part 'nothing'";
  test::check_refused(test::run_rankscope({"bench", "nothing"}), unknown);
  const std::string program = test::rankscope_binary().string();
  test::check_refused(test::run_process({program + "-bench", "nothing"}), unknown);
  const auto json = test::run_rankscope({"--json", "bench", "nothing"});
  CHECK(json.exit_code == kBadInput);
  CHECK(parse_json(json.err)["error"]["exit_code"] == kBadInput);

  // A `rankscope` alone says what is missing.
  const test::TemporaryFolder folder;
  std::filesystem::copy_file(program, folder / "rankscope");
  test::check_refused(
      test::run_process({folder / "rankscope", "bench"}, {.environment = {{"PATH", "/usr/bin"}}}),
      "rankscope-bench is not there", "./dev build release rankscope-bench");
}

TEST_CASE("cli: bench measures the rankscope that started it", "[cli]") {
  REQUIRE(::setenv(kBenchedProgram, "/opt/elsewhere/rankscope", 1) == 0);
  CHECK(rankscope_program() == "/opt/elsewhere/rankscope");
  ::unsetenv(kBenchedProgram);
  CHECK(rankscope_program() != "/opt/elsewhere/rankscope");
}

TEST_CASE("cli: a goal is met from its figure on", "[cli]") {
  CHECK(history_goal("a", 1).verdict == Goal::Verdict::met);
  CHECK(history_goal("a", 0.99).verdict == Goal::Verdict::missed);
}

TEST_CASE("cli: the history of speed has a line for each release and machine", "[cli]") {
  std::vector<BenchRelease> releases;
  add_release(releases, "1.0", "small", {history_goal("speed", 2), history_goal("", 3)});
  add_release(releases, "1.1", "small", {history_goal("speed", 2.5), history_goal("start", 0.5)});
  add_release(releases, "1.1", "large", {history_goal("speed", 4)});
  // Measured again, and only in part: the rest stays.
  add_release(releases, "1.1", "small", {history_goal("speed", 3)});
  const std::string text = history_text(releases);
  CHECK(text ==
        "version,machine,speed,start\n"
        "1.0,small,2,\n"
        "1.1,small,3,0.5\n"
        "1.1,large,4,\n");
  CHECK(history_text(parse_history(text, "h.csv")) == text);
}

TEST_CASE("cli: a file that is no history of speed is refused with its line", "[cli]") {
  const auto complaint = [](const char* text) -> std::string {
    try {
      parse_history(text, "h.csv");
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(complaint("rank,time\n").starts_with("h.csv:1:"));
  CHECK(complaint("version,machine,a\n1.0,m\n").starts_with("h.csv:2:"));
  CHECK(complaint("version,machine,a\n1.0,m,fast\n").starts_with("h.csv:2:"));
  CHECK(complaint("version,machine,a\n1.0,m,-1\n").starts_with("h.csv:2:"));
  CHECK(complaint("version,machine,a\n1.0,m,nan\n").starts_with("h.csv:2:"));
  CHECK(parse_history("", "h.csv").empty());
}

TEST_CASE("cli: the plot of the history has a row for each goal, best first", "[cli]") {
  std::vector<BenchRelease> releases;
  add_release(releases, "1.0", "other", {history_goal("speed", 9)});
  add_release(releases, "1.0", "mine", {history_goal("speed", 0.3), history_goal("gone", 5)});
  add_release(releases, "1.1", "mine",
              {history_goal("speed", 0.5), history_goal("start", 30), history_goal("edge", 1)});
  const PlainRuler ruler;
  const Scene scene = history_plot(releases, ruler);
  CHECK(overlapping_texts(scene).empty());
  CHECK(outside_page(scene).empty());
  REQUIRE(scene.groups.size() == 3);
  CHECK(scene.groups[0].story == "start: 30 times");
  CHECK(scene.groups[1].story == "edge: 1 times");
  // Of the same machine alone.
  CHECK(scene.groups[2].story == "speed: 0.5 times\n1.0: 0.3 times");
  // Missed is told by the shape, too.
  const auto filled_with = [&](std::int32_t group, Tone tone) {
    return std::ranges::any_of(scene.marks, [&](const Mark& mark) {
      return mark.group == group && mark.kind != Mark::Kind::text && mark.fill &&
             mark.fill->tone == tone;
    });
  };
  CHECK(filled_with(1, Tone::good));
  CHECK(filled_with(2, Tone::page));
}
