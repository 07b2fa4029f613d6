// A race as a picture: readable at every size, still except for what travels and counts, and with everybody's place.
#include "engine/diagrams/stage/race_stages.h"

#include <algorithm>

#include "engine/core/base/error.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"

using namespace rankscope;
using test::says;

namespace {

std::vector<TraceAnalysis> racers(const std::vector<std::string>& names, int ranks) {
  std::vector<TraceAnalysis> runs;
  for (const auto& name : names) runs.emplace_back(test::trace_of_job(name, ranks, 16));
  return runs;
}

}  // namespace

TEST_CASE("race: nothing overlaps or leaves the page, at every size", "[diagrams]") {
  const PlainRuler ruler;
  const std::vector<std::vector<std::string>> races = {
      {"allreduce.ring", "allreduce.bde"},
      {"allreduce.ring", "allreduce.bde", "allreduce.rabenseifner"},
      {"allreduce.ring", "allreduce.bde", "allreduce.flat", "allreduce.mst"}};
  for (const auto& names : races)
    for (const auto& [width, height] : {std::pair{620.0, 460.0}, {1240.0, 640.0}, {2000.0, 1100.0}})
      for (const bool measured : {false, true}) {
        RaceOptions options;
        options.width = width;
        options.height = height;
        options.measured = measured;
        RaceStages race(racers(names, 8), options, ruler);
        for (const double share : {0.0, 0.37, 1.0}) {
          const Scene scene = race.at(share * race.end());
          INFO(names.size() << " runs, " << width << " x " << height << ", " << share);
          CHECK(scene.width == width);
          CHECK(scene.height == height);
          test::check_readable(scene);
          CHECK(test::smallest_text(scene) >= 12);
        }
      }
}

TEST_CASE("race: places are given as runs finish, and counters say how far each is", "[diagrams]") {
  const PlainRuler ruler;
  RaceOptions options;
  options.width = 1400;
  options.height = 800;
  RaceStages race(racers({"allreduce.ring", "allreduce.bde"}, 8), options, ruler);
  CHECK(race.end() == 14);
  CHECK(says(race.at(0), "0/14"));
  CHECK_FALSE(says(race.at(2.9), "1st"));
  CHECK(says(race.at(3), "1st"));
  CHECK(says(race.at(3), "3/3"));
  CHECK(says(race.at(3), "3/14"));
  CHECK_FALSE(says(race.at(13), "2nd"));
  CHECK(says(race.at(14), "2nd"));
  CHECK(says(race.at(14), "14/14"));
}

TEST_CASE("race: two to four runs", "[diagrams]") {
  const PlainRuler ruler;
  CHECK_THROWS_AS(RaceStages(racers({"allreduce.ring"}, 4), {}, ruler), UserError);
  CHECK_THROWS_AS(RaceStages(racers({"allreduce.ring", "allreduce.bde", "allreduce.flat",
                                     "allreduce.mst", "allreduce.tree"},
                                    4),
                             {}, ruler),
                  UserError);
}

TEST_CASE("race: in a page too small for stages each run is a line that fills", "[diagrams]") {
  const PlainRuler ruler;
  RaceOptions options;
  options.width = 480;
  options.height = 170;
  const std::vector<std::string> names = {"allreduce.ring", "allreduce.bde", "allreduce.flat",
                                          "allreduce.mst"};
  RaceStages race(racers(names, 8), options, ruler);
  for (const double moment : {0.0, 2.5, race.end()}) {
    const Scene scene = race.at(moment);
    CHECK(scene.height == 170);
    test::check_readable(scene);
    CHECK(test::smallest_text(scene) >= 12);
    for (const auto* name : {"ring", "bde", "flat", "mst"}) CHECK(says(scene, name));
  }
  CHECK(says(race.at(2.5), "2/14 rounds"));
  CHECK(says(race.at(race.end()), "3rd"));  // two of them
}

TEST_CASE("race: what the verdict has no room for is its story", "[diagrams]") {
  const PlainRuler ruler;
  RaceOptions options;
  options.width = 620;
  options.height = 460;
  RaceStages race(racers({"allreduce.ring", "allreduce.bde", "allreduce.flat", "allreduce.mst"}, 8),
                  options, ruler);
  const Scene scene = race.at(0);
  const auto verdict = std::ranges::find(scene.groups, "verdict", &Group::id);
  REQUIRE(verdict != scene.groups.end());
  CHECK(verdict->story.find("Bytes sent by the busiest rank") != std::string::npos);
  CHECK(says(scene, "short vectors"));
}

TEST_CASE("race: while it is predicted, nothing says how it ends", "[diagrams]") {
  const PlainRuler ruler;
  for (const double height : {460.0, 170.0}) {  // stages, bars
    RaceOptions options;
    options.width = 900;
    options.height = height;
    options.predicted = true;
    RaceStages race(racers({"allreduce.ring", "allreduce.bde"}, 8), options, ruler);
    for (const double moment : {0.0, 2.0, race.end() - 1}) {
      const Scene scene = race.at(moment);
      CHECK_FALSE(says(scene, "/14"));
      CHECK_FALSE(says(scene, "Bytes sent"));
      CHECK_FALSE(says(scene, "short vectors"));
      for (const Group& group : scene.groups) CHECK(group.story.find("of 14") == std::string::npos);
    }
    CHECK(says(race.at(2), "2"));
    CHECK(says(race.at(race.end()), "short vectors"));
  }
}
