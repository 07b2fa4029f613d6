// Animations as data, and what is made of them.
#include "engine/diagrams/moving/flipbook.h"

#include <set>

#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/diagrams/grid/buffer_grid.h"
#include "engine/diagrams/moving/html.h"
#include "engine/diagrams/paint/gif.h"
#include "engine/diagrams/spacetime/spacetime.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"
#include "tests/support/runs.h"

using namespace rankscope;

namespace {

Flipbook ring_flipbook(int ranks) {
  const TraceAnalysis trace(test::trace_of(ranks, test::ring_of(2 * ranks)));
  return flipbook_of(trace, spacetime(trace, {}, PlainRuler()), true);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Mark box(double x, Ink ink, std::int32_t group = -1) {
  Mark mark;
  mark.box = {x, 0, 8, 8};
  mark.fill = ink;
  mark.group = group;
  return mark;
}

// A row of cells of which the first `done` ones are full.
Scene cells(int done) {
  Scene scene;
  scene.width = 100;
  scene.height = 10;
  scene.marks.push_back(box(90, {Tone::frame}));
  for (int i = 0; i < 4; ++i) {
    const auto group = scene.add_group({"cell-" + std::to_string(i), i < done ? "full" : "empty"});
    scene.marks.push_back(box(10.0 * i, {i < done ? Tone::good : Tone::lane}, group));
  }
  return scene;
}

}  // namespace

TEST_CASE("flipbook: a moment for the start and for each round, told in order of ranks") {
  const Flipbook book = ring_flipbook(3);
  REQUIRE(book.moments.size() == 5);
  CHECK(book.moments[0].name == "start");
  CHECK(book.moments[0].now == 0);
  CHECK(book.moments[2].name == "step 2");
  CHECK(book.moments[2].phase == "reduce-scatter");
  CHECK(book.moments[3].phase == "allgather");
  CHECK(book.moments[1].caption ==
        "rank 0 sends chunk 0 to rank 1, rank 1 sends chunk 1 to rank 2, rank 2 sends chunk 2 to "
        "rank 0");
  CHECK_THROWS_AS(flipbook_of(TraceAnalysis(), cells(0), true), UserError);
}

TEST_CASE("flipbook: on the measured clock each arrival is a moment") {
  const TraceAnalysis trace(test::trace_of(3, test::ring_of(6)));
  SpacetimeOptions options;
  options.clock = SpacetimeOptions::Clock::measured;
  const Scene scene = spacetime(trace, options, PlainRuler());
  const auto moments = moments_of(trace, scene, false);
  CHECK(moments.size() > 4);
  CHECK(moments.back().now == Approx(scene.clock_end));
  for (std::size_t i = 1; i < moments.size(); ++i) CHECK(moments[i - 1].now < moments[i].now);
}

TEST_CASE("flipbook: what begins at the moment itself is still to come") {
  CHECK(Group{"m", "", 2, 3}.ahead(2));
  CHECK_FALSE(Group{"m", "", 2, 3}.ahead(2.1));
  CHECK_FALSE(Group{"m", "", 2, 2}.ahead(2));
  CHECK(Group{"m", "", 2, 2}.ahead(1.9));
  CHECK_FALSE(Group{"m", "", 2, 3}.ahead(-1));
  CHECK_FALSE(Group{"m", "", 0, -1}.ahead(0));
}

TEST_CASE("flipbook: labels travel along their arrows") {
  const Flipbook book = ring_flipbook(4);
  const Scene& scene = book.panels[0].scenes[0];
  const auto moving = moving_messages(scene);
  CHECK(moving.size() == 24);
  for (const auto& traveller : moving) CHECK(traveller.label.size() == 2);

  const std::vector<Point> line{{0, 0}, {0, 0}, {10, 0}, {10, 0}};
  CHECK(point_along(line, 0).x == Approx(0).margin(1e-9));
  CHECK(point_along(line, 0.25).x == Approx(2.5));
  CHECK(point_along(line, 1).x == Approx(10));
  CHECK(point_along({{5, 5}, {5, 5}, {5, 5}, {5, 5}}, 0.5) == Point{5, 5});
  CHECK(eased(0) == 0);
  CHECK(eased(0.5) == Approx(0.5));
  CHECK(eased(1) == 1);

  CHECK(still_of(book, 1).scene.marks.size() == scene.marks.size());
  const Still between = still_of(book, 1, 0.5);
  CHECK(between.now == Approx(1.5));
  // The labels themselves travel: none is left behind.
  CHECK(between.scene.marks.size() == scene.marks.size());
  CHECK(std::ranges::count(between.scene.marks, "c1", &Mark::text) ==
        std::ranges::count(scene.marks, "c1", &Mark::text));
  CHECK(outside_page(between.scene).empty());
}

TEST_CASE("flipbook: what travels in time x rank lies on the cursor") {
  for (const char* name : {"allreduce.ring", "alltoall.pairwise", "broadcast.binomial"})
    for (const auto clock : {SpacetimeOptions::Clock::rounds, SpacetimeOptions::Clock::measured}) {
      SpacetimeOptions options;
      options.clock = clock;
      const Scene scene =
          spacetime(TraceAnalysis(test::trace_of_algorithm(name, 5)), options, PlainRuler());
      REQUIRE(scene.clock_axis);
      int compared = 0;
      for (const MovingMessage& one : moving_messages(scene))
        for (const double share : {0.1, 0.37, 0.5, 0.81}) {
          CAPTURE(name, share);
          const double now = one.leaves + share * (one.arrives - one.leaves);
          CHECK(place_at(scene, one, now).x == Approx(scene.clock_axis->at(now).x).margin(0.6));
          ++compared;
        }
      CHECK(compared >= 4 * 4);
    }
}

TEST_CASE("flipbook: panels stand below each other") {
  Flipbook book = ring_flipbook(3);
  Flipbook::Panel below;
  for (int i = 0; i < 5; ++i) below.scenes.push_back(cells(i));
  const double height = book.panels[0].scenes[0].height;
  book.panels.push_back(below);
  const Still still = still_of(book, 2);
  CHECK(still.scene.height == Approx(height + 10));
  CHECK(still.scene.marks.back().box.y == Approx(height));
  CHECK(still.scene.groups.back().id == "cell-3");
  CHECK(outside_page(still.scene).empty());
}

TEST_CASE("html: a changing panel holds each mark once") {
  Flipbook::Panel panel;
  for (int i = 0; i < 5; ++i) panel.scenes.push_back(cells(i));
  SvgClasses classes;
  const std::string svg = panel_svg(panel, classes);
  CHECK(count(svg, "<rect") == 9);  // the frame, and each cell empty and full
  CHECK(count(svg, "data-at=\"0-2\"") == 1);
  CHECK(count(svg, "data-at=\"3-4\"") == 1);
  CHECK(count(svg, "class=\"on\"") == 4);  // not the empty ones: the last moment shows
  const auto stories = panel_stories(panel);
  CHECK(stories["cell-1"] == parse_json(R"([[0,"empty"],[2,"full"]])"));

  // The order of painting is kept, also where two moments disagree about it.
  std::swap(panel.scenes[1].marks[3], panel.scenes[1].marks[4]);
  CHECK(count(panel_svg(panel, classes), "data-id=\"cell-2\"") == 2);
}

TEST_CASE("html: one small file that asks for nothing") {
  const std::string page = to_html(ring_flipbook(8));
  CHECK(page.size() < 150'000);
  CHECK(page.starts_with("<!DOCTYPE html>"));
  for (const char* link :
       {"src=", "href=\"http", "url(http", "@import", "fetch(", "XMLHttpRequest"})
    CHECK(count(page, link) == 0);
  CHECK(count(page, "default-src 'none'") == 1);
  CHECK(count(page, "fill=\"#") == 0);  // colours are the style sheet's
  CHECK(count(page, "prefers-color-scheme:dark") == 1);
  CHECK_THROWS_AS(to_html(Flipbook()), UserError);
}

TEST_CASE("html: a ring with its buffers is small") {
  const TraceAnalysis trace(test::trace_of_algorithm("allreduce.ring", 8));
  Flipbook book = flipbook_of(trace, spacetime(trace, {}, PlainRuler()), true);
  BufferGridOptions options;
  options.in_flight = true;
  options.heading = false;
  book.panels.push_back({buffer_grids(trace, options, 0, 14, PlainRuler())});
  const std::string page = to_html(book);
  CHECK(page.size() < 220'000);
  // A shape that is used is defined, once.
  std::set<std::string> used;
  for (auto at = page.find("<use href=\"#"); at != std::string::npos;
       at = page.find("<use href=\"#", at + 1))
    used.insert(page.substr(at + 12, page.find('"', at + 12) - at - 12));
  CHECK(used.size() > 20);
  for (const auto& id : used) CHECK(count(page, "id=\"" + id + "\"") == 1);
}

TEST_CASE("html: hostile names stay text") {
  Flipbook book = ring_flipbook(2);
  book.title = "</title><script>alert(1)</script>";
  book.moments[1].caption = "</script><script>alert(1)</script>";
  book.panels[0].scenes[0].groups[0].story = "\"><img src=x>\nsecond";
  const std::string page = to_html(book);
  CHECK(count(page, "<script>") == 1);
  CHECK(count(page, "</script>") == 2);
  CHECK(count(page, "<img") == 0);
}

TEST_CASE("frames: rests and what lies between") {
  const Flipbook book = ring_flipbook(3);
  FrameOptions options;
  options.fps = 10;
  options.move_s = 1;
  CHECK(frames_of(book, options).size() == 5 + 4 * 9);
  options.fps = 0;
  const auto moments = frames_of(book, options);
  CHECK(moments.size() == 5);
  CHECK(moments.back().duration_ms == 2000);
  options.fps = 51;
  CHECK_THROWS_AS(frames_of(book, options), UserError);
}

#ifdef RANKSCOPE_TEST_CAIRO
TEST_CASE("frames: a GIF that grows with what changes") {
  const Flipbook book = ring_flipbook(3);
  FrameOptions options;
  options.fps = 0;
  const Theme theme(Theme::Kind::light);
  std::size_t shown = 0;
  const auto gif = to_gif(book, theme, 48, options, [&](std::size_t done, std::size_t all) {
    CHECK(all == 5);
    CHECK(done == ++shown);
  });
  CHECK(shown == 5);
  CHECK(gif.starts_with("GIF89a"));
  CHECK(gif.back() == ';');
  const Pixels whole = to_pixels(book.panels[0].scenes[0], theme, 0.5);
  GifWriter one({whole});
  one.add(whole, 100);
  CHECK(gif.size() < 3 * one.finish().size());
  CHECK_THROWS_AS(to_gif(book, theme, 9600, options), UserError);
}
#endif
