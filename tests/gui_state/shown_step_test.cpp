// One cursor, one step: at the end of each step all views say the same, on either clock.
#include <map>

#include <fmt/format.h>

#include "engine/diagrams/graph/communication_graph.h"
#include "engine/diagrams/graph/traffic_matrix.h"
#include "engine/diagrams/grid/buffer_grid.h"
#include "engine/diagrams/stage/stage.h"
#include "engine/diagrams/table/statistics_table.h"
#include "gui/state/model/narrator.h"
#include "gui/state/run/document.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"

using namespace rankscope;
using namespace rankscope::gui;
using Catch::Matchers::EndsWith;

namespace {

const PlainRuler kLettersOfSteps;

bool in_scene(const Scene& scene, const std::string& words) {
  for (const Mark& mark : scene.marks)
    if (mark.text.find(words) != std::string::npos) return true;
  return scene.description.find(words) != std::string::npos;
}

/// The stage counts steps within their phase: "reduce-scatter · step 2 of 3". `before`: the rounds before each phase.
void check_stage(const std::string& said, int round, int count,
                 std::map<std::string, int>& before) {
  CAPTURE(said);
  const auto end = said.find(" · step ");
  if (end == std::string::npos) {
    CHECK_THAT(said, EndsWith(fmt::format("step {} of {}", round, count)));
    return;
  }
  const auto line = said.rfind('\n', end);
  const std::string phase = said.substr(line == std::string::npos ? 0 : line + 1, end);
  const int of_phase = std::stoi(said.substr(end + std::string_view(" · step ").size()));
  if (before.empty()) CHECK(round == of_phase);
  CHECK(before.try_emplace(phase, round - of_phase).first->second == round - of_phase);
}

/// What each view shows for a step, by the options that it takes from it.
void check_views(const Document& document, Stage& stage, const ShownStep& step, int round,
                 std::map<std::string, int>& phases) {
  const TraceAnalysis& run = document.analysis();
  CHECK(step.done == round);
  CHECK(step.going == round);
  CHECK(step.count == document.rounds().count);
  const std::string said = fmt::format("step {} of {}", round, step.count);
  if (round == 0 || round == step.count) return;  // "at the start", "in all"
  check_stage(stage.at(step.at).description, round, step.count, phases);
  CHECK(in_scene(
      traffic_matrix(run, {.title = "", .pane = true, .until = step.done}, kLettersOfSteps),
      "after " + said));
  CHECK(in_scene(
      statistics_table(run, {.title = "", .pane = true, .until = step.done}, kLettersOfSteps),
      "after " + said));
  GraphOptions graph;
  graph.round = step.going;
  const Scene drawn = communication_graph(run, graph, kLettersOfSteps);
  CHECK(in_scene(drawn, fmt::format("step {} of {}", round, step.count)));
  BufferGridOptions grid;
  grid.round = step.done;
  CHECK(in_scene(buffer_grid(run, grid, kLettersOfSteps), fmt::format("after round {}", round)));
}

}  // namespace

TEST_CASE("shown step: all views say the same step at the end of each step", "[gui_state]") {
  const auto name = GENERATE(as<std::string>(), "allreduce.ring", "allreduce.bde",
                             "broadcast.binomial", "alltoall.pairwise", "allreduce.hierarchical");
  const auto document = Document::make(test::trace_of_job(name, 4, 16), "");
  Stage stage(document->analysis(), {.width = 1280, .height = 720, .heading = false},
              kLettersOfSteps);
  std::map<std::string, int> phases;
  for (int round = 0; round <= document->rounds().count; ++round) {
    CAPTURE(name, round);
    const ShownStep logical = shown_step(*document, ClockBase::rounds, round);
    CHECK(logical.at == round);
    check_views(*document, stage, logical, round, phases);
  }
  const ShownStep half = shown_step(*document, ClockBase::rounds, 1.5);
  CHECK(half.done == 1);
  CHECK(half.going == 2);
}

TEST_CASE("shown step: measured time is mapped to the rounds that are over then", "[gui_state]") {
  const auto document = Document::make(test::trace_of_job("allreduce.ring", 4, 16), "");
  Stage stage(document->analysis(), {.width = 1280, .height = 720, .heading = false},
              kLettersOfSteps);
  double before = 0;
  std::map<std::string, int> phases;
  for (int round = 1; round < document->rounds().count; ++round) {
    const double end = document->end_of_round(round);
    const ShownStep step = shown_step(*document, ClockBase::measured, end);
    CAPTURE(round, end);
    // Two rounds may end at one moment.
    if (document->end_of_round(round + 1) > end) {
      check_views(*document, stage, step, round, phases);
      Playback playback;
      playback.clock = ClockBase::measured;
      playback.moment = end;
      Narrator narrator;
      std::string sentence;
      do sentence = narrator.sentence(*document, playback);
      while (narrator.busy());
      CHECK(sentence == Narration(document->analysis()).sentence(round));
    }
    CHECK(step.at >= before);
    before = step.at;
  }
  CHECK(shown_step(*document, ClockBase::measured, 0).done == 0);
  const ShownStep last =
      shown_step(*document, ClockBase::measured, document->end(ClockBase::measured));
  CHECK(last.done == document->rounds().count);
  CHECK(last.at > document->rounds().count);
}
