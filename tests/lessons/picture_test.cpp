// The pictures of a lesson's runs: each name is its own diagram, on paper and in the application.
#include "lessons/lesson/picture.h"

#include <algorithm>

#include "engine/core/base/error.h"
#include "engine/diagrams/catalogue.h"
#include "tests/support/catch.h"
#include "tests/support/network_traces.h"

namespace rankscope {
namespace {

bool has_group(const Scene& scene, std::string_view part) {
  return std::ranges::any_of(
      scene.groups, [&](const auto& group) { return group.id.find(part) != std::string::npos; });
}

TEST_CASE("A figure is the diagram that it names, on paper and in a lesson's text", "[lessons]") {
  constexpr double kColumn = 560;
  const TraceAnalysis trace(test::trace_on(test::square_network()));
  std::vector<std::string> drawn;
  for (const DiagramKind& kind : diagrams()) {
    INFO(kind.name);
    if (kind.figure == nullptr) {
      CHECK_THROWS_AS(picture_of(trace, kind.name), UserError);
      CHECK_FALSE(picture_problem(kind.name).empty());
      continue;
    }
    CHECK(picture_problem(kind.name).empty());
    CHECK_FALSE(picture_of(trace, kind.name).title.empty());
    drawn.push_back(to_text(picture_of(trace, kind.name, kColumn)));
    CHECK(std::ranges::count(drawn, drawn.back()) == 1);  // none stands in for another
  }
  CHECK(drawn.size() >= 7);
  for (const auto* buffers : {"grid", "strip"}) {
    CHECK(has_group(picture_of(trace, buffers, kColumn), "r1-cell-"));
    CHECK(has_group(picture_of(trace, buffers), "r1-cell-"));
  }
  CHECK(has_group(picture_of(trace, "spacetime", kColumn), "m0"));
  CHECK_FALSE(has_group(picture_of(trace, "statistics", kColumn), "m0"));
  for (const auto* wrong : {"", "player", "buffers", "spacetim"})
    CHECK_FALSE(picture_problem(wrong).empty());
}

TEST_CASE("Every view of a diagram that a figure may be is one of a run, too", "[lessons]") {
  for (const DiagramKind& kind : diagrams()) {
    INFO(kind.name);
    if (kind.figure == nullptr || kind.view.empty()) continue;
    CHECK(view_problem(kind.view).empty());
    for (const auto alias : words_in(kind.aliases)) CHECK(view_problem(alias).empty());
    CHECK(picture_problem(picture_for_view(kind.view)).empty());
  }
  CHECK(picture_for_view("") == "spacetime");
  CHECK(picture_for_view("player") == "spacetime");
  CHECK(picture_for_view("buffers") == "strip");
  CHECK(picture_for_view("matrix") == "matrix");
  CHECK(picture_for_view("code").empty());
  CHECK_FALSE(view_problem("compare").empty());
}

}  // namespace
}  // namespace rankscope
