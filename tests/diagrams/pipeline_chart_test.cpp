// Charts of pipeline stages: bars at their times, idle time hatched, numbers where they fit.
#include "engine/diagrams/plot/pipeline_chart.h"

#include <algorithm>
#include <cmath>

#include "tests/diagrams/scenes.h"
#include "tests/support/catch.h"
#include "tests/support/golden.h"

using namespace rankscope;

namespace {

/// GPipe's figure, as bars: every stage forward, then backward in the same order.
PipelineChart chart_of(int stages, int microbatches) {
  PipelineChart chart{.title = "GPipe", .caption = "bubble 3/7", .time_title = "time", .rows = {}};
  for (int s = 0; s < stages; ++s) {
    PipelineRow row{.name = "stage " + std::to_string(s), .bars = {}, .note = "holds 4"};
    for (int m = 0; m < microbatches; ++m)
      row.bars.push_back({double(s + m), double(s + m + 1), m, false});
    const int turn = microbatches + stages - 1;
    for (int m = 0; m < microbatches; ++m) {
      const int begin = turn + 2 * (stages - 1 - s + m);
      row.bars.push_back({double(begin), double(begin + 2), m, true});
    }
    chart.rows.push_back(std::move(row));
  }
  return chart;
}

const Mark& bar_of(const Scene& scene, std::string_view group) {
  const auto found = std::ranges::find_if(scene.marks, [&](const Mark& mark) {
    return mark.group >= 0 && scene.groups[static_cast<std::size_t>(mark.group)].id == group;
  });
  REQUIRE(found != scene.marks.end());
  return *found;
}

}  // namespace

TEST_CASE("diagrams: a pipeline's chart as approved, with nothing on anything else", "[diagrams]") {
  const Scene scene = pipeline_chart(chart_of(4, 4), PlainRuler());
  test::check_readable(scene);
  test::check_golden("pipeline-chart", to_text(scene));
}

TEST_CASE("diagrams: a pipeline's bars lie at their times, and follow the clock", "[diagrams]") {
  const Scene scene = pipeline_chart(chart_of(3, 5), PlainRuler());
  REQUIRE(scene.clock_axis);
  CHECK(scene.clock_end == 21);
  const double left = scene.clock_axis->at(0).x, right = scene.clock_axis->at(21).x;
  for (const Group& group : scene.groups) {
    const Mark& bar = bar_of(scene, group.id);
    CHECK(std::abs(bar.box.x - (left + (right - left) * group.begin / 21)) < 1);
    CHECK(std::abs(bar.box.right() - (left + (right - left) * group.end / 21)) < 1);
  }
  CHECK(scene.groups.size() == 3 * 10);
  // Idle time is what lies behind the bars: a hatched lane a row, and one in the legend.
  CHECK(std::ranges::count_if(scene.marks, &Mark::hatched) == 3 + 1);
  // Forward and backward differ, whatever the theme.
  CHECK(bar_of(scene, "stage 0-forward-0").fill != bar_of(scene, "stage 0-backward-0").fill);
}

TEST_CASE("diagrams: charts of nothing, of one bar, and of many thin ones", "[diagrams]") {
  const PlainRuler ruler;
  test::check_readable(
      pipeline_chart({.title = "t", .caption = "", .time_title = "", .rows = {}}, ruler));
  test::check_readable(pipeline_chart(chart_of(1, 1), ruler));
  const Scene many = pipeline_chart(chart_of(16, 128), ruler);
  test::check_readable(many);
  CHECK(many.width <= 1600);
  CHECK(!test::says(many, "127"));  // no room in a bar, but there for hover
  CHECK(bar_of(many, "stage 3-forward-127").box.width > 0);
  PipelineChart narrow = chart_of(4, 8);
  narrow.width = 480;
  const Scene scene = pipeline_chart(narrow, ruler);
  CHECK(scene.width == 480);
  test::check_readable(scene);
}

TEST_CASE("diagrams: where a pipeline's waits are told apart, only they are hatched",
          "[diagrams]") {
  PipelineChart chart = chart_of(2, 3);
  chart.unit = "ms";
  chart.idle = "other work";
  chart.waiting = "waits";
  chart.rows[1].waits = {{0, 1}, {6, 6.5}};
  const Scene scene = pipeline_chart(chart, PlainRuler());
  test::check_readable(scene);
  CHECK(std::ranges::count_if(scene.marks, &Mark::hatched) == 2 + 1);  // and one in the legend
  CHECK(test::says(scene, "other work"));
  CHECK(test::says(scene, "waits"));
  CHECK(!test::says(scene, "idle: the bubble"));
  const Point begin = scene.clock_axis->at(0), end = scene.clock_axis->at(1);
  CHECK(std::ranges::any_of(scene.marks, [&](const Mark& mark) {
    return mark.hatched && std::abs(mark.box.x - begin.x) < 1e-9 &&
           std::abs(mark.box.right() - end.x) < 1e-9;
  }));
  CHECK(scene.groups.front().story.ends_with("from 0 to 1 ms"));
}
