// The stage: what it shows, that it can be read at every size, and that nothing moves but what travels.
#include "engine/diagrams/stage/stage.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <regex>
#include <set>

#include "engine/core/base/error.h"
#include "engine/diagrams/stage/stage_model.h"
#include "tests/diagrams/many_runs.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/golden.h"
#include "tests/support/runs.h"

using namespace rankscope;
using test::check_readable;
using test::says;

namespace {

StageOptions sized(double width, double height) {
  StageOptions options;
  options.width = width;
  options.height = height;
  options.heading = false;
  return options;
}

// Which number a message has is a matter of time.
std::string without_numbers(const std::string& text) {
  return std::regex_replace(text, std::regex(R"(\[(m|moving-)[0-9]+)"), "[$1");
}

/// By rank: where its card is.
std::map<std::string, Box> cards_of(const Scene& scene) {
  std::map<std::string, Box> cards;
  for (const Mark& mark : scene.marks) {
    if (mark.group < 0 || mark.kind != Mark::Kind::box) continue;
    const std::string& id = scene.groups[static_cast<std::size_t>(mark.group)].id;
    if (id.starts_with("rank-")) cards.try_emplace(id, mark.box);
  }
  return cards;
}

/// Chips on their way, that lie on the card in which they change something.
int covering(const Scene& scene, const std::vector<MessageRecord>& messages) {
  const auto cards = cards_of(scene);
  int found = 0;
  std::set<std::int32_t> seen;
  for (const Mark& mark : scene.marks) {
    std::size_t number = 0;
    int end = 0;
    if (mark.group < 0 || !seen.insert(mark.group).second) continue;
    const std::string& id = scene.groups[static_cast<std::size_t>(mark.group)].id;
    if (std::sscanf(id.c_str(), "moving-%zu%n", &number, &end) != 1 ||
        static_cast<std::size_t>(end) != id.size())
      continue;
    const Box& card = cards.at(fmt::format("rank-{}", messages[number].to));
    if (card.overlaps(mark.box)) ++found;
  }
  return found;
}

void check_at(Stage& stage, double moment, const TraceAnalysis& analysis) {
  CAPTURE(moment);
  const Scene scene = stage.at(moment);
  CHECK(static_cast<int>(cards_of(scene).size()) == analysis.trace().world_size());
  for (const auto& [id, card] : cards_of(scene))
    CHECK(card == stage.card(std::stoi(id.substr(5)), moment));
  if (test::is_meeting(stage, moment, analysis.trace().world_size())) return;
  check_readable(scene);
  CHECK(test::smallest_text(scene) >= 12);
  for (const auto theme : {Theme::Kind::light, Theme::Kind::dark, Theme::Kind::print})
    CHECK(test::hard_to_read(scene, Theme(theme)) == "");
  CHECK(covering(scene, analysis.messages()) == 0);
}

}  // namespace

TEST_CASE("stage: can be read at every size, and nothing moves but what travels", "[diagrams]") {
  const auto run = GENERATE(as<std::string>(), "allreduce.ring", "allreduce.bde",
                            "broadcast.binomial", "alltoall.pairwise", "allreduce.hierarchical",
                            "uneven ring", "deadlock", "lost rank");
  for (const int ranks : {4, 8, 16, 32, 64}) {
    const TraceAnalysis analysis(test::run_of(run, ranks));
    for (const double scale : {1.0, 1.5, 2.0})
      for (const auto& [width, height] :
           {std::pair(1024.0, 640.0), {1280.0, 720.0}, {1920.0, 1080.0}, {2560.0, 1440.0}}) {
        // Of many ranks a few of the sizes are enough: the smallest, a usual one and the largest.
        const bool usual = width == 1280 && scale == 1;
        if (ranks > 16 && !usual && (width != 1024 || scale != 2) && (width != 2560 || scale != 1))
          continue;
        CAPTURE(run, ranks, width, height, scale);
        Stage stage(analysis, sized(width / scale, height / scale), system_ruler());
        for (const double moment : {0.05, 0.34, 0.64, 1.0, 1.4, stage.end()})
          check_at(stage, std::min(moment, stage.end()), analysis);
      }
  }
}

TEST_CASE("stage: a ring of four in its second step", "[diagrams]") {
  const TraceAnalysis analysis(test::trace_of_algorithm("allreduce.ring", 4));
  Stage stage(analysis, {.width = 960, .height = 640}, test::kRuler);
  const Scene scene = stage.at(1.42);
  check_readable(scene);
  CHECK(says(scene, "adds c2 from rank 3"));
  CHECK(says(scene, "2 of 4"));
  test::check_golden("stage-ring-4", without_numbers(to_text(scene)));
  // What arrived is there at the end of the step, and in every rank's slots at the end of the run.
  CHECK(says(stage.at(2), "3 of 4"));
  const Scene end = stage.at(stage.end());
  CHECK(std::ranges::count(end.marks, "has 4 of 4", &Mark::text) == 16);
  // In the second half it is stored, not added.
  const Scene gathering = stage.at(3.42);
  CHECK(says(gathering, "gets c1 from rank 0"));
  CHECK_FALSE(says(gathering, "adds"));
  // So it is where messages end within a chunk: three steps add, three store.
  StageModel folded(TraceAnalysis(test::trace_of_job("allreduce.rabenseifner", 6, 16)));
  for (int round = 1; round <= folded.rounds(); ++round)
    for (const StageCargo& cargo : folded.cargo(round)) CHECK(cargo.adds == (round <= 3));
}

TEST_CASE("stage: cells of a program that moves data fill when they come", "[diagrams]") {
  const auto told = [](const char* as, Rank rank) {
    Stage stage(TraceAnalysis(test::mover(as)), sized(960, 640), test::kRuler);
    std::string all;
    for (int step = 0; step <= stage.end(); ++step) {
      const Scene scene = stage.at(step);
      const auto card = std::ranges::find(scene.groups, fmt::format("rank-{}", rank), &Group::id);
      REQUIRE(card != scene.groups.end());
      const std::string said = card->story.substr(card->story.find('\n') + 1);
      all += said.substr(0, said.find(" chunks")) + (step < stage.end() ? ", " : "");
    }
    return all;
  };
  // An all-to-all begins with the blocks to be sent, as ours do.
  CHECK(told("alltoall", 1) == "3 of 3, 2 of 3, 3 of 3");
  CHECK(told("allgather", 1) == "1 of 3, 2 of 3, 3 of 3");
  CHECK(told("gather:0", 0) == "1 of 3, 2 of 3, 3 of 3");
  CHECK(told("gather:0", 2) == "its chunk is here, its chunk is here, its chunk is here");
  CHECK(told("scatter:0", 1) == "its chunk is not here yet, its chunk is here, its chunk is here");
}

TEST_CASE("stage: a deadlock ends as a circle of ranks, a lost rank is marked", "[diagrams]") {
  const TraceAnalysis circle(test::stuck_run_of(4));
  Stage stage(circle, sized(1280, 720), system_ruler());
  CHECK(stage.stuck());
  const Scene scene = stage.at(stage.end());
  CHECK(says(scene, "Deadlock: 0 → 1 → 2 → 3 → 0"));
  CHECK(says(scene, "waits for rank 3 to send"));
  CHECK(std::ranges::count(scene.marks, "blocked", &Mark::text) == 4);
  const TraceAnalysis lost(test::run_with_lost_rank(4));
  Stage other(lost, sized(1280, 720), system_ruler());
  const Scene end = other.at(other.end());
  CHECK(says(end, "Lost: rank 1"));
  CHECK(says(end, "Rank 1 was killed by signal 9"));
  CHECK(std::ranges::count(end.marks, "lost", &Mark::text) == 1);
}

TEST_CASE("stage: two deadlocks are two circles, and who follows or has ended is calm",
          "[diagrams]") {
  const TraceAnalysis analysis(test::run_of_pairs(6));
  Stage stage(analysis, sized(1280, 720), system_ruler());
  const Scene scene = stage.at(stage.end());
  CHECK(says(scene, "Deadlock: 0 → 1 → 0 and 2 → 3 → 2"));
  CHECK(says(scene, "each waits for the next"));
  CHECK(std::ranges::count(scene.marks, "blocked", &Mark::text) == 4);
  CHECK(std::ranges::count(scene.marks, "ended", &Mark::text) == 1);
  CHECK(std::ranges::count(scene.marks, "waits", &Mark::text) >= 1);
  int red = 0, calm = 0;
  for (const Mark& mark : scene.marks) {
    if (mark.group < 0 || mark.kind != Mark::Kind::path || !mark.arrow) continue;
    if (!scene.groups[static_cast<std::size_t>(mark.group)].id.starts_with("wait-")) continue;
    (mark.stroke->tone == Tone::error ? red : calm) += 1;
  }
  CHECK(red == 4);
  CHECK(calm == 1);
}

TEST_CASE("stage: a wrong result ends at the first element that differs", "[diagrams]") {
  const TraceAnalysis analysis(test::run_with_wrong_result(4));
  Stage stage(analysis, sized(1280, 720), system_ruler());
  CHECK(stage.stuck());
  const Scene scene = stage.at(stage.end());
  CHECK(says(scene, "Rank 0 has "));
  CHECK(says(scene, "in element 0 (chunk 0); it should have "));
  CHECK(says(scene, "The parts of ranks 1, 2 and 3 are missing."));
  CHECK(std::ranges::count(scene.marks, "wrong", &Mark::text) == 4);
  CHECK_FALSE(says(stage.at(1), "it should have"));
}

TEST_CASE("stage: two trees stand above each other, and many sums are squares of cells",
          "[diagrams]") {
  const TraceAnalysis trees(test::trace_of_algorithm("allreduce.double_tree", 8));
  Stage both(trees, sized(832, 330), system_ruler());
  for (Rank rank = 0; rank < 8; rank += 2) {  // even ranks are inner nodes of the upper one
    CHECK(both.card(rank).y < both.card(rank + 1).y);
    CHECK(both.card(rank).x < both.card(rank + 1).x);
  }
  const TraceAnalysis ring(test::trace_of_algorithm("allreduce.ring", 16));
  Stage cells(ring, sized(832, 260), system_ruler());
  const Scene start = cells.at(0);
  CHECK(std::ranges::count_if(start.marks, [](const Mark& mark) {
          return mark.kind == Mark::Kind::box && mark.fill && mark.fill->tone == Tone::lane;
        }) == 16 * 16);
  CHECK(cells.row(0, 5).y > cells.row(0, 3).y);
  CHECK(cells.row(0, 5).x > cells.row(0, 4).x);
}

TEST_CASE("stage: what is chosen is strong, all else is pale", "[diagrams]") {
  const TraceAnalysis analysis(test::trace_of_algorithm("allreduce.ring", 4));
  Stage stage(analysis, sized(1280, 720), test::kRuler);
  const auto strong_pills = [&](const SceneChoice& focus) {
    int count = 0;
    for (const Mark& mark : stage.at(1.4, focus).marks)
      count += mark.kind == Mark::Kind::text && mark.text.starts_with('c') && mark.fill &&
               mark.fill->tone == Tone::on_chunk;
    return count;
  };
  CHECK(strong_pills({}) == 16);
  CHECK(strong_pills({.chunk = 1}) == 4);
  CHECK(strong_pills({.rank = 2}) == 4);
  // With many ranks, those near the chosen one have cards; all others stand on the circle, left of the cards.
  Stage many(TraceAnalysis(test::run_of("allreduce.ring", 32)), sized(832, 290), system_ruler());
  const auto chosen = cards_of(many.at(1, {.rank = 20}));
  CHECK(chosen.at("rank-0").right() < chosen.at("rank-19").x);
  CHECK_THROWS_AS(Stage(TraceAnalysis(), {}, test::kRuler), UserError);
  CHECK_THROWS_AS(Stage(TraceAnalysis(test::stuck_run_of(65)), {}, test::kRuler), UserError);
}

// A stage keeps what it has drawn and what it knows of rounds: none of it may be of another moment.
TEST_CASE("stage: forth and back it shows what a stage shows that was made for the moment",
          "[diagrams]") {
  const auto run =
      GENERATE(as<std::string>(), "allreduce.ring", "allreduce.bde", "broadcast.binomial",
               "gather.binomial", "alltoall.pairwise", "uneven ring", "wrong result", "deadlock");
  for (const int ranks : {4, 16}) {
    const TraceAnalysis analysis(test::run_of(run, ranks));
    StageOptions options = sized(1024, 640);
    options.values = run == "allreduce.bde";
    Stage stage(analysis, options, test::kRuler);
    const double end = stage.end();
    const std::array<SceneChoice, 4> choices = {
        SceneChoice{}, {.rank = 1}, {.chunk = 1}, {.message = 0}};
    int number = 0;
    for (const double share : {0.3, 0.3, 0.32, 1.0, 0.95, 0.31, 0.0, 0.6, 0.62, 0.62, 1.0, 0.3}) {
      const double moment = share * end;
      const SceneChoice& focus = choices[static_cast<std::size_t>(number++ / 2 % 4)];
      CAPTURE(run, ranks, moment, number);
      Stage fresh(analysis, options, test::kRuler);
      CHECK(to_text(stage.at(moment, focus)) == to_text(fresh.at(moment, focus)));
    }
    // Within a step, where a sum sign pulses.
    for (const double moment : {0.5, 0.66, 0.7, 0.74, 0.9, 1.0, 1.7}) {
      if (moment > end) continue;
      CAPTURE(run, ranks, moment);
      Stage fresh(analysis, options, test::kRuler);
      CHECK(to_text(stage.at(moment)) == to_text(fresh.at(moment)));
    }
  }
}
