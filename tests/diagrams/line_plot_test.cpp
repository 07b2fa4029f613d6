// Plots of lines: ticks, places, and that nothing overlaps or leaves the page.
#include "engine/diagrams/plot/line_plot.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/diagrams/scenes.h"
#include "tests/support/catch.h"
#include "tests/support/golden.h"

using namespace rankscope;

namespace {

LinePlot speedup() {
  return {
      .title = "Speedup",
      .caption = "over seeds",
      .x_title = "workers",
      .y_title = "speedup",
      .lines = {{.name = "linear", .points = {{1, 1}, {2, 2}, {4, 4}, {8, 8}}, .reference = true},
                {.name = "measured",
                 .points = {{1, 1}, {2, 1.2}, {4, 1.4}, {8, 1.5}},
                 .marks = true,
                 .spread = {{1, 1}, {1, 1.5}, {1.1, 1.9}, {1.2, 2.1}}}},
      .whole_x = true};
}

std::size_t texts(const Scene& scene, std::string_view words) {
  return static_cast<std::size_t>(
      std::ranges::count_if(scene.marks, [&](const Mark& mark) { return mark.text == words; }));
}

}  // namespace

TEST_CASE("diagrams: ticks are round and cover what is there", "[diagrams]") {
  CHECK(round_ticks(0, 8, 6) == std::vector<double>{0, 2, 4, 6, 8});
  CHECK(round_ticks(0, 1, 5).size() == 6);
  CHECK(round_ticks(0, 7.2, 6).back() == 8);
  CHECK(round_ticks(-3, 3, 6).front() == -3);
  CHECK(round_ticks(0, 1300, 8).back() == 1400);
  for (const double most : {1e-9, 0.003, 0.97, 5.0, 1234.5, 1e12}) {
    const auto ticks = round_ticks(0, most, 6);
    INFO(most);
    CHECK(ticks.size() >= 2);
    CHECK(ticks.size() <= 8);
    CHECK(ticks.back() >= most * (1 - 1e-9));
  }
}

TEST_CASE("diagrams: a plot as approved, with nothing on anything else", "[diagrams]") {
  const PlainRuler ruler;
  const Scene scene = line_plot(speedup(), ruler);
  test::check_readable(scene);
  for (const char* tick : {"1", "2", "4", "8"}) CHECK(texts(scene, tick) >= 1);
  test::check_golden("line-plot", to_text(scene));
}

TEST_CASE("diagrams: names of lines that end together are moved apart", "[diagrams]") {
  const PlainRuler ruler;
  LinePlot plot{.title = "t", .caption = "", .x_title = "x", .y_title = "y", .lines = {}};
  for (int i = 0; i < 8; ++i)
    plot.lines.push_back(
        {.name = "line " + std::to_string(i), .points = {{0, 0}, {10, 1 + i * 1e-3}}, .color = i});
  const Scene scene = line_plot(plot, ruler);
  test::check_readable(scene);
  for (int i = 0; i < 8; ++i) CHECK(texts(scene, "line " + std::to_string(i)) == 1);
}

TEST_CASE("diagrams: names of lines that end together stand in the order of the lines",
          "[diagrams]") {
  const PlainRuler ruler;
  LinePlot plot{.title = "t", .caption = "", .x_title = "x", .y_title = "y", .lines = {}};
  const double ends[] = {0.970, 0.973, 0.971, 0.2};  // the last one stands alone, below
  for (int i = 0; i < 4; ++i)
    plot.lines.push_back({.name = std::to_string(10 * (i + 1)) + " workers",
                          .points = {{0, 0}, {10, ends[i]}},
                          .color = i});
  const Scene scene = line_plot(plot, ruler);
  std::vector<double> heights;
  for (const PlotLine& line : plot.lines)
    for (const Mark& mark : scene.marks)
      if (mark.text == line.name) heights.push_back(mark.origin.y);
  REQUIRE(heights.size() == 4);
  CHECK(std::ranges::is_sorted(heights));
}

TEST_CASE("diagrams: a small plot has fewer ticks, and all of them are readable", "[diagrams]") {
  const PlainRuler ruler;
  LinePlot plot = speedup();
  plot.whole_x = false;
  plot.lines.front().points.back() = {1280, 8};
  plot.caption.clear();
  plot.margin = 10;
  for (const auto& [width, height] : {std::pair(330.0, 160.0), {480.0, 260.0}, {1200.0, 700.0}}) {
    plot.width = width;
    plot.height = height;
    INFO(width << " x " << height);
    test::check_readable(line_plot(plot, ruler));
  }
}

TEST_CASE("diagrams: plots of nothing, of one point and of shares", "[diagrams]") {
  const PlainRuler ruler;
  LinePlot plot{.title = "t", .caption = "", .x_title = "x", .y_title = "y", .lines = {}};
  test::check_readable(line_plot(plot, ruler));
  plot.lines = {{.name = "one", .points = {{5, 0.5}}, .marks = true}};
  test::check_readable(line_plot(plot, ruler));
  plot.percent = true;
  CHECK(texts(line_plot(plot, ruler), "50 %") == 1);
  test::check_readable(line_plot(plot, ruler));
}

TEST_CASE("diagrams: a logarithmic plot with marks is readable, and its ticks are round",
          "[diagrams]") {
  CHECK(log_ticks(1024, 65536, 2, 12) ==
        std::vector<double>{1024, 2048, 4096, 8192, 16384, 32768, 65536});
  CHECK(log_ticks(1024, 65536, 2, 3) == std::vector<double>{1024, 4096, 16384, 65536});
  const auto fine = log_ticks(3, 30, 10, 8);
  REQUIRE(fine.size() == 5);
  CHECK(fine.front() == Approx(2));
  CHECK(fine.back() == Approx(50));

  const PlainRuler ruler;
  LinePlot plot{.title = "t", .caption = "c", .x_title = "x", .y_title = "y", .lines = {}};
  plot.x_scale.base = 2;
  plot.y_scale.base = 10;
  plot.lines = {{.name = "flat", .points = {{1, 20}, {1024, 20}}, .color = 0},
                {.name = "steep", .points = {{1, 1}, {32, 32}, {1024, 1024}}, .color = 1}};
  plot.marks = {{{20, 20}, "20 B"}, {{24, 20}, "24 B"}};
  const Scene scene = line_plot(plot, ruler);
  test::check_readable(scene);
  for (const char* word : {"20 B", "24 B", "flat", "steep", "1024"}) CHECK(texts(scene, word) == 1);
}
