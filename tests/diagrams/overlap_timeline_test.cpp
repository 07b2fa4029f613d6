// Computing beside communicating: what is drawn, where, and with which words.
#include "engine/diagrams/overlap/overlap_timeline.h"

#include <algorithm>

#include "engine/core/base/error.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/catch.h"
#include "tests/support/golden.h"

using namespace rankscope;

namespace {

RankWork work(Rank rank, std::int64_t allreduces_begin) {
  return {
      .rank = rank,
      .time = {0, 100'000},
      .computing = {{{0, 40'000}, "backward b"}, {{40'000, 60'000}, "backward a"}},
      .communicating = {{{allreduces_begin, allreduces_begin + 15'000}, "bucket 1", 1},
                        {{allreduces_begin + 15'000, allreduces_begin + 35'000}, "bucket 2", 1}}};
}

OverlapTimeline two_forms() {
  return {.title = "A step",
          .caption = "by hand",
          .panels = {
              {.title = "apart", .figures = "95 us", .ranks = {work(0, 60'000), work(1, 60'000)}},
              {.title = "overlapped", .ranks = {work(0, 40'000), work(1, 40'000)}}}};
}

const Box& box_of(const Scene& scene, std::string_view id) {
  const auto group = std::ranges::find(scene.groups, id, &Group::id);
  REQUIRE(group != scene.groups.end());
  const auto index = static_cast<std::int32_t>(group - scene.groups.begin());
  return std::ranges::find(scene.marks, index, &Mark::group)->box;
}

std::size_t texts_of(const Scene& scene, std::string_view words) {
  return static_cast<std::size_t>(std::ranges::count(
      scene.marks, words, [](const Mark& mark) { return std::string_view(mark.text); }));
}

}  // namespace

TEST_CASE("diagrams: forms of a step stand below each other on one scale", "[diagrams]") {
  const Scene scene = overlap_timeline(two_forms(), PlainRuler());
  test::check_readable(scene);
  const Box apart = box_of(scene, "communicates-0-0-2"), with = box_of(scene, "communicates-1-0-2");
  CHECK(apart.width == Approx(with.width));
  CHECK(apart.x > with.x);
  CHECK(apart.y < with.y);
  // What is exposed: 60 to 95 without overlap, 60 to 75 with it.
  const Box all = box_of(scene, "exposed-0-0-4"), rest = box_of(scene, "exposed-1-0-4");
  CHECK(all.x == rest.x);
  CHECK(std::abs(all.width * 15 / 35 - rest.width) < 0.01);
  CHECK(scene.description.starts_with("apart: 95 us. overlapped. "));
  CHECK(texts_of(scene, "bucket 2") == 4);
  CHECK(texts_of(scene, "backward a") == 4);
}

TEST_CASE("diagrams: names that have no room lose their first word, all of them", "[diagrams]") {
  OverlapTimeline narrow = two_forms();
  narrow.width = 300;
  const Scene scene = overlap_timeline(narrow, PlainRuler());
  CHECK(texts_of(scene, "backward b") == 0);
  CHECK(texts_of(scene, "b") == 4);
  test::check_readable(scene);
  CHECK_THROWS_AS(overlap_timeline({.title = "x", .caption = "", .panels = {{}}}, PlainRuler()),
                  UserError);
}
