// Stage, time x rank and buffers as panes of a window show them: for each kind of run, number of ranks, size of
// window and scale, every text can be read and everything is in its pane.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "engine/diagrams/grid/fitted_grid.h"
#include "engine/diagrams/spacetime/spacetime.h"
#include "engine/diagrams/stage/stage.h"
#include "tests/diagrams/growing_run.h"
#include "tests/diagrams/many_runs.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/pairwise.h"

using namespace rankscope;

namespace {

constexpr std::array<const char*, 3> kPanes = {"stage", "spacetime", "buffers"};
constexpr std::array kRanks = {4, 8, 16, 32, 64};
constexpr std::array<std::pair<double, double>, 4> kWindows = {
    {{1024, 640}, {1280, 720}, {1920, 1080}, {2560, 1440}}};
constexpr std::array kScales = {1.0, 1.5, 2.0};

/// A run, and while it is held, what the window knows of the rest.
struct ShownRun {
  TraceAnalysis analysis;
  std::shared_ptr<const PlanMatch> plan = nullptr;
  LiveMarks marks = {};
};

ShownRun shown_run(const std::string& name, int ranks) {
  if (name != test::kHeldRun) return {TraceAnalysis(test::run_of(name, ranks))};
  const test::GrowingRun growing("allreduce.ring", ranks);
  ShownRun held{growing.after(1)};
  held.plan = match_plan(growing.plan, held.analysis);
  REQUIRE(held.plan);
  held.marks = test::held(*held.plan);
  return held;
}

const ShownRun& run_of(int run, int ranks) {
  static std::map<std::pair<int, int>, std::unique_ptr<ShownRun>> known;
  auto& one = known[{run, ranks}];
  if (!one)
    one = std::make_unique<ShownRun>(
        shown_run(test::kManyRuns.at(static_cast<std::size_t>(run)), ranks));
  return *one;
}

void check_shown(const Scene& scene, double width, double height) {
  test::check_readable(scene);
  // What is larger than its pane is shown smaller.
  const double zoom = std::min({width / scene.width, height / scene.height, 1.0});
  CHECK(test::smallest_text(scene) * zoom >= 12 * 0.999);
  for (const auto theme : {Theme::Kind::light, Theme::Kind::dark, Theme::Kind::print}) {
    CHECK(test::hard_to_read(scene, Theme(theme)) == "");
    CHECK(test::hard_to_see(scene, Theme(theme)) == "");
  }
}

/// No rank has a hue, accent is the cursor's alone, and on a roomy stage of up to 16 ranks no message's way passes through a
/// card that is not its own.
void check_stage(const Scene& scene, const Stage& stage, double moment,
                 const TraceAnalysis& analysis) {
  const auto toned = [](const Mark& mark, Tone tone, int least) {
    for (const auto& ink : {mark.fill, mark.stroke})
      if (ink && ink->tone == tone && ink->index >= least) return true;
    return false;
  };
  std::string crossed;
  const int world = analysis.trace().world_size();
  for (const Mark& mark : scene.marks) {
    CHECK_FALSE(toned(mark, Tone::accent, 0));
    CHECK_FALSE(toned(mark, Tone::rank, 1));
    std::size_t number = 0;
    if (mark.group < 0 || mark.kind != Mark::Kind::path || !mark.arrow || world > 16 ||
        scene.height < 400 || mark.points.size() < 10 ||
        std::sscanf(scene.groups[static_cast<std::size_t>(mark.group)].id.c_str(), "m%zu",
                    &number) != 1)
      continue;
    const MessageRecord& message = analysis.messages().at(number);
    for (Rank rank = 0; rank < world; ++rank)
      for (int k = 0; k <= 24 && rank != message.from && rank != message.to; ++k)
        if (stage.card(rank, moment)
                .grown(-2)
                .contains(bezier(std::span(mark.points).subspan(3, 4), k / 24.0)))
          crossed += fmt::format("{} → {} crosses {}\n", message.from, message.to, rank);
  }
  CHECK(crossed == "");
}

/// Heads of arrows are those of messages, sent or on offer, and of ranks that wait. Up to 16 ranks in a roomy pane, what
/// travels has its name or its slots, unless messages follow each other on one way.
void check_cargo(const Scene& scene, const TraceAnalysis& analysis) {
  std::map<std::string, int> marks;
  std::string heads;
  for (const Mark& mark : scene.marks) {
    if (mark.group < 0) continue;
    const std::string& id = scene.groups[static_cast<std::size_t>(mark.group)].id;
    if (id.starts_with("moving-")) ++marks[id];
    const bool has_head = id.starts_with("m") || id.starts_with("wait-") || id.starts_with("offer");
    if (mark.arrow && !has_head) heads += id + "\n";
  }
  CHECK(heads == "");
  if (analysis.trace().world_size() > 16 || scene.width < 820 || scene.height < 240 ||
      analysis.pieces().whole() == 0)
    return;
  const Rounds& rounds = analysis.rounds();
  for (std::size_t i = 0; i < rounds.messages.size(); ++i) {
    const auto found = marks.find(fmt::format("moving-{}", i));
    const MessageRecord& message = rounds.messages[i];
    if (found == marks.end() || message.bytes == 0) continue;
    int alike = 0;
    for (std::size_t k = 0; k < rounds.messages.size(); ++k)
      alike += rounds.round[k] == rounds.round[i] && !rounds.messages[k].sync &&
               rounds.messages[k].from == message.from && rounds.messages[k].to == message.to;
    CAPTURE(message.from, message.to, rounds.round[i]);
    if (alike == 1) CHECK(found->second > 1);
  }
}

void check_pane(const ShownRun& run, const std::string& pane, double width, double height) {
  const TraceAnalysis& analysis = run.analysis;
  if (pane == "stage") {
    StageOptions options{.width = width, .height = height, .heading = false};
    options.plan = run.plan;
    options.live = run.plan != nullptr;
    Stage stage(analysis, options, system_ruler());
    for (const double moment : {0.05, 0.34, 0.64, 1.0, stage.end()}) {
      const Scene scene = moment < stage.end() ? stage.at(moment)  // what is on offer is at the end
                                               : stage.at(stage.end(), {}, run.marks);
      if (test::is_meeting(stage, moment, analysis.trace().world_size())) continue;
      check_shown(scene, width, height);
      check_stage(scene, stage, moment, analysis);
    }
    // On its way, not while it lifts off or docks.
    if (run.plan == nullptr) check_cargo(stage.at(std::min(0.55, stage.end())), analysis);
  } else if (pane == "spacetime") {
    for (const auto clock : {SpacetimeOptions::Clock::rounds, SpacetimeOptions::Clock::measured}) {
      SpacetimeOptions options = spacetime_pane(width, height, clock);
      options.plan = run.plan;
      options.live = run.plan != nullptr;
      options.marks = run.marks;
      check_shown(spacetime(analysis, options, system_ruler()), width, height);
    }
  } else {
    BufferGridOptions options;
    options.in_flight = true;
    options.heading = false;
    FittedGrids grids(analysis, options, width, height, system_ruler());
    for (const int round : {0, std::min(1, analysis.rounds().count), BufferGridOptions::kEnd})
      check_shown(grids.draw(round), width, height);
  }
}

void check_case(int pane, int run, int ranks, int window, int scale) {
  const auto at = [](const auto& all, int i) { return all.at(static_cast<std::size_t>(i)); };
  const auto [width, height] = at(kWindows, window);
  const std::string name = at(kPanes, pane);
  CAPTURE(name, at(test::kManyRuns, run), at(kRanks, ranks), width, height, at(kScales, scale));
  check_pane(run_of(run, at(kRanks, ranks)), name, width / at(kScales, scale),
             height / at(kScales, scale));
}

constexpr int size_of(const auto& all) { return static_cast<int>(all.size()); }

/// By group, except what travels and its way: where its first mark is.
std::map<std::string, Box> places_of(const Scene& scene) {
  std::map<std::string, Box> places;
  for (const Mark& mark : scene.marks) {
    if (mark.group < 0) continue;
    const std::string& id = scene.groups[static_cast<std::size_t>(mark.group)].id;
    if (id.starts_with("rank-") || id.starts_with("cell-")) places.try_emplace(id, mark.box);
  }
  return places;
}

/// Frames of a cell may be a pixel stronger.
bool stand_still(const std::map<std::string, Box>& now, const std::map<std::string, Box>& before) {
  return std::ranges::equal(now, before, [](const auto& one, const auto& other) {
    const Box &a = one.second, &b = other.second;
    const double moved = std::max({std::abs(a.x - b.x), std::abs(a.y - b.y),
                                   std::abs(a.width - b.width), std::abs(a.height - b.height)});
    return one.first == other.first && moved <= 1;
  });
}

std::map<std::string, Point> travellers_of(const Scene& scene) {
  std::map<std::string, Point> places;
  for (const Mark& mark : scene.marks) {
    if (mark.group < 0) continue;
    const std::string& id = scene.groups[static_cast<std::size_t>(mark.group)].id;
    if (id.starts_with("moving-")) places.try_emplace(id, mark.box.center());
  }
  return places;
}

}  // namespace

TEST_CASE("labels of what is still to come can be read on their pale pills", "[diagrams]") {
  for (const auto kind : {Theme::Kind::light, Theme::Kind::dark, Theme::Kind::print}) {
    const Theme theme(kind);
    const Rgba page = theme.color({Tone::page});
    for (const Tone tone : {Tone::chunk, Tone::rank, Tone::accent, Tone::muted})
      for (int hue = 0; hue < 40; ++hue)
        for (const double strength : {theme.future(), 0.3}) {  // to come; not chosen
          const Rgba full = theme.color({tone, hue});
          const Rgba pill = test::painted_over({full.red, full.green, full.blue, strength}, page);
          CAPTURE(to_string(kind), static_cast<int>(tone), hue, strength);
          CHECK(contrast(theme.pale_text({Tone::on_chunk, hue}), pill) >= 4.5);
        }
    for (const Tone tone : {Tone::text, Tone::muted, Tone::accent, Tone::error, Tone::good})
      CHECK(contrast(theme.pale_text({tone}), page) >= 4.5);
  }
}

TEST_CASE("panes do not jump: only what travels moves, and not far at once", "[diagrams]") {
  constexpr int kFrames = 30;
  const int run = GENERATE(0, 1, 2, 3);  // ring, exchange, tree, all-to-all
  const TraceAnalysis& analysis = run_of(run, 8).analysis;
  CAPTURE(test::kManyRuns.at(static_cast<std::size_t>(run)));
  Stage stage(analysis, {.width = 960, .height = 560, .heading = false}, system_ruler());
  const auto still = places_of(stage.at(0));
  CHECK(still.size() >= 16);
  std::map<std::string, Point> before;
  for (int frame = 0; frame <= 2 * kFrames; ++frame) {
    const double moment = static_cast<double>(frame) / kFrames;
    const Scene scene = stage.at(moment);
    // At the beginning of a step partners may come near each other.
    auto now = travellers_of(scene);
    for (const auto& [id, box] : places_of(scene)) now[id] = box.center();
    for (const auto& [id, at] : now)
      if (const auto old = before.find(id); old != before.end())
        CHECK(std::hypot(at.x - old->second.x, at.y - old->second.y) < 960.0 / 4);
    before = std::move(now);
    if (!test::is_meeting(stage, moment, 8)) {
      const double settled = frame == 0 ? 0 : std::ceil(moment) - 1 + StageTimes::met;
      CHECK(places_of(scene) == places_of(stage.at(settled)));
    }
  }
  BufferGridOptions options;
  options.in_flight = true;
  options.heading = false;
  FittedGrids grids(analysis, options, 700, 420, system_ruler());
  const Scene first = grids.draw(0);
  for (int round = 1; round <= analysis.rounds().count; ++round) {
    const Scene scene = grids.draw(round);
    CHECK(stand_still(places_of(scene), places_of(first)));
    CHECK((scene.width == first.width && scene.height == first.height));
  }
}

TEST_CASE("stage: partners come together without touching any card", "[diagrams]") {
  using Names = std::vector<const char*>;
  for (const auto& [ranks, names] : {std::pair(6, Names{"alltoall.pairwise"}),
                                     {8, {"allreduce.bde", "allreduce.rabenseifner"}},
                                     {16, {"allreduce.bde", "allreduce.rabenseifner"}}})
    for (const char* name : names) {
      CAPTURE(name, ranks);
      Stage stage(TraceAnalysis(test::trace_of_algorithm(name, ranks)),
                  {.width = 832, .height = 330, .heading = false}, system_ruler());
      CHECK(stage.form() == StageForm::partners);
      CHECK(places_of(stage.at(0)) == places_of(stage.at(0.5)));
      int moving = 0;
      std::string touching;
      for (int frame = 0; frame < 16 * static_cast<int>(stage.end()); ++frame) {
        const double moment = frame / 16 + frame % 16 * StageTimes::met / 16;
        const auto cards = places_of(stage.at(moment));
        moving += test::is_meeting(stage, moment, ranks) ? 1 : 0;
        for (const auto& [id, card] : cards)
          for (const auto& [other, box] : cards)
            if (id < other && id.starts_with("rank-") && other.starts_with("rank-") &&
                card.overlaps(box))
              touching += fmt::format("{:.2f}: {} {}\n", moment, id, other);
      }
      CHECK(touching == "");
      CHECK(moving > 0);
    }
}

TEST_CASE("stage: what is symmetric looks so, and lanes are wide enough", "[diagrams]") {
  for (const int ranks : {4, 8, 16}) {
    CAPTURE(ranks);
    const TraceAnalysis& analysis = run_of(0, ranks).analysis;
    Stage stage(analysis, {.width = 832, .height = 330, .heading = false}, system_ruler());
    // By sender, where its message lifts off and arrives: mirrored from left to right, the ring runs the other way.
    std::map<Rank, std::pair<Point, Point>> ways;
    const Scene scene = stage.at(0.3);
    for (const Mark& mark : scene.marks) {
      std::size_t number = 0;
      if (mark.group < 0 || !mark.arrow ||
          std::sscanf(scene.groups[static_cast<std::size_t>(mark.group)].id.c_str(), "m%zu",
                      &number) != 1)
        continue;
      ways[analysis.messages().at(number).from] = {mark.points.front(), mark.points.back()};
    }
    REQUIRE(std::ssize(ways) == ranks);
    for (const auto& [from, way] : ways) {
      const auto& other = ways.at((2 * ranks - from - 1) % ranks);
      CAPTURE(from);
      CHECK(std::abs(way.first.x + other.second.x - 832) < 3);
      CHECK(std::abs(way.first.y - other.second.y) < 3);
    }
    const Scene score = spacetime(
        analysis, spacetime_pane(560, ranks < 9 ? 150 : 236, SpacetimeOptions::Clock::rounds),
        system_ruler());
    std::vector<double> lanes;
    for (const Mark& mark : score.marks)
      if (mark.kind == Mark::Kind::box && mark.fill && mark.fill->tone == Tone::lane)
        lanes.push_back(mark.box.center().y);
    REQUIRE(std::ssize(lanes) >= ranks);
    for (int lane = 1; lane < ranks; ++lane)
      CHECK(lanes[static_cast<std::size_t>(lane)] - lanes[static_cast<std::size_t>(lane) - 1] >=
            10);
  }
}

TEST_CASE("stage: in a low pane the ranks of a ring are cards, and messages carry names",
          "[diagrams]") {
  for (const auto& [ranks, width, height] : {std::tuple(8, 316, 198),
                                             {6, 332, 180},
                                             {8, 332, 180},
                                             {10, 332, 180},
                                             {6, 600, 150},
                                             {8, 600, 150},
                                             {12, 600, 150},
                                             {16, 600, 180},
                                             {8, 900, 150},
                                             {16, 900, 180}}) {
    CAPTURE(ranks, width, height);
    Stage stage(TraceAnalysis(test::trace_of_algorithm("allreduce.ring", ranks)),
                {.width = static_cast<double>(width),
                 .height = static_cast<double>(height),
                 .heading = false},
                system_ruler());
    const Scene scene = stage.at(0.5);
    test::check_readable(scene);
    std::map<std::string, int> marks;
    for (const Mark& mark : scene.marks)
      if (mark.group >= 0) ++marks[scene.groups[static_cast<std::size_t>(mark.group)].id];
    for (Rank rank = 0; rank < ranks; ++rank) CHECK(stage.card(rank).height > 30);
    CHECK(std::ranges::count_if(marks, [](const auto& of) {
            return of.first.starts_with("moving-") && of.second > 1;
          }) == ranks);
  }
}

TEST_CASE("stage: partners come near where messages would pass over other ranks", "[diagrams]") {
  for (const auto& [width, height] : {std::pair(832.0, 330.0), {1260, 640}}) {
    Stage stage(TraceAnalysis(test::trace_of_algorithm("alltoall.hierarchical", 16)),
                {.width = width, .height = height, .heading = false}, system_ruler());
    CHECK(stage.form() == StageForm::partners);
  }
}

// In the pane of a window of 1280 x 720: the form that each kind of run takes with so many ranks.
TEST_CASE("stage: each run has its form, and up to 16 ranks messages carry their contents",
          "[diagrams]") {
  using Form = StageForm;
  constexpr std::array kMany = {Form::neighbourhood, Form::neighbourhood};
  struct Row {
    const char* run;
    std::array<StageForm, 3> forms;  ///< Of 4, 8 and 16 ranks.
  };
  const std::vector<Row> rows = {
      {"allreduce.ring", {Form::circle, Form::circle, Form::circle}},
      {"uneven ring", {Form::circle, Form::circle, Form::circle}},
      {"allreduce.bde", {Form::spread, Form::partners, Form::partners}},
      {"allreduce.rabenseifner", {Form::spread, Form::partners, Form::partners}},
      {"allreduce.swing", {Form::circle, Form::partners, Form::partners}},
      {"allgather.bruck", {Form::circle, Form::partners, Form::partners}},
      {"alltoall.pairwise", {Form::circle, Form::partners, Form::partners}},
      {"broadcast.binomial", {Form::spread, Form::spread, Form::partners}},
      {"allreduce.double_tree", {Form::spread, Form::spread, Form::spread}},
      {"allreduce.hierarchical", {Form::groups, Form::groups, Form::groups}},
  };
  for (const Row& row : rows)
    for (std::size_t i = 0; i < kRanks.size(); ++i) {
      const int ranks = kRanks.at(i);
      CAPTURE(row.run, ranks);
      const TraceAnalysis analysis(test::run_of(row.run, ranks));
      Stage stage(analysis, {.width = 832, .height = ranks < 9 ? 290.0 : 250.0, .heading = false},
                  system_ruler());
      CHECK(static_cast<int>(stage.form()) ==
            static_cast<int>(i < 3 ? row.forms.at(i) : kMany.at(i - 3)));
      // Leaders of four groups have no way past the other groups' cards: their messages are dots.
      const bool led = ranks == 16 && stage.form() == Form::groups;
      for (int round = 1; round <= analysis.rounds().count && !led; ++round)
        check_cargo(stage.at(round - 0.45), analysis);
    }
}

TEST_CASE("panes can be read: every pair of run, ranks, window, scale and view", "[diagrams]") {
  const auto plan = test::pairwise_cases({size_of(kPanes), size_of(test::kManyRuns),
                                          size_of(kRanks), size_of(kWindows), size_of(kScales)},
                                         7, [](const test::Case&) { return true; });
  CHECK(plan.size() >= 45);
  for (const auto& one : plan) check_case(one[0], one[1], one[2], one[3], one[4]);
}

TEST_CASE("panes can be read: as they are in the first layout of a small window", "[diagrams]") {
  constexpr std::array<std::pair<double, double>, 3> kSizes = {
      {{612, 300}, {612, 220}, {325, 220}}};
  for (int run = 0; run < size_of(test::kManyRuns); ++run)
    for (const int ranks : {4, 16, 64})
      for (std::size_t pane = 0; pane < kPanes.size(); ++pane) {
        const std::string name = kPanes.at(pane);
        CAPTURE(name, test::kManyRuns.at(static_cast<std::size_t>(run)), ranks);
        check_pane(run_of(run, ranks), name, kSizes.at(pane).first, kSizes.at(pane).second);
      }
}

TEST_CASE("panes can be read: all combinations", "[diagrams][full]") {
  for (int run = 0; run < size_of(test::kManyRuns); ++run)
    for (int ranks = 0; ranks < size_of(kRanks); ++ranks)
      for (int pane = 0; pane < size_of(kPanes); ++pane)
        for (int window = 0; window < size_of(kWindows); ++window)
          for (int scale = 0; scale < size_of(kScales); ++scale)
            check_case(pane, run, ranks, window, scale);
}
