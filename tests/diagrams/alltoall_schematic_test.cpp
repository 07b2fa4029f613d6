// The all-to-all schematic, from made-up and from real runs.
#include "engine/diagrams/graph/alltoall_schematic.h"

#include <map>
#include <set>

#include "engine/core/base/error.h"
#include "engine/diagrams/graph/communication_graph.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/spacetime/spacetime.h"
#include "tests/diagrams/graph_runs.h"
#include "tests/support/golden.h"

using namespace rankscope;

namespace {

std::string id_of(const Scene& scene, const Mark& mark) {
  return mark.group < 0 ? std::string() : scene.groups.at(static_cast<std::size_t>(mark.group)).id;
}

std::string named(const char* kind, int a, int b) {
  return std::string(kind) + "-" + std::to_string(a) + "-" + std::to_string(b);
}

// N(N-1) arrows, each pair once and rightly labelled; N copies that are no messages; each arrow from
// its piece to its place; outputs in the order of the sources.
void check_exchange(const Scene& scene, int n) {
  std::map<std::string, Mark> arrows, pieces;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::vector<std::string>> outputs;
  for (const Mark& mark : scene.marks) {
    const auto id = id_of(scene, mark);
    if (mark.kind == Mark::Kind::path && mark.arrow && !id.empty())
      CHECK(arrows.emplace(id, mark).second);
    if (mark.kind == Mark::Kind::box) pieces.emplace(id, mark);
    if (mark.kind == Mark::Kind::text && (id.starts_with("message-") || id.starts_with("copy-")))
      labels[id] += mark.text;
    if (mark.kind == Mark::Kind::text && id.starts_with("output-"))
      outputs[id].push_back(mark.text);
  }
  CHECK(arrows.size() == static_cast<std::size_t>(n * n));
  for (int from = 0; from < n; ++from) {
    for (int to = 0; to < n; ++to) {
      const auto id = from == to ? "copy-" + std::to_string(from) : named("message", from, to);
      INFO(id);
      REQUIRE(arrows.count(id) == 1);
      const Mark& arrow = arrows.at(id);
      CHECK(arrow.dotted == (from == to));
      CHECK(labels.at(id) ==
            (from == to ? "copy" : std::to_string(from) + "→" + std::to_string(to)));
      const Box piece = pieces.at(named("piece", from, to)).box;
      const Box place = pieces.at(named("received", to, from)).box;
      CHECK(arrow.points.front().y == Approx(piece.center().y));
      CHECK(arrow.points.front().x == Approx(piece.right()).margin(4));
      CHECK(arrow.points.back().y == Approx(place.center().y));
      CHECK(arrow.points.back().x == Approx(place.x).margin(4));
      if (from > 0)  // by source rank, from above
        CHECK(place.y > pieces.at(named("received", to, from - 1)).box.y);
    }
    const auto& output = outputs.at("output-" + std::to_string(from));
    REQUIRE(output.size() == static_cast<std::size_t>(n) + 1);  // and its shape
    for (int source = 0; source < n; ++source)
      CHECK(output[static_cast<std::size_t>(source)] == std::to_string(source));
  }
}

bool has_label(const Scene& scene, const std::string& text) {
  return std::ranges::any_of(scene.marks, [&](const Mark& mark) { return mark.text == text; });
}

}  // namespace

TEST_CASE("the all-to-all schematic of four ranks", "[diagrams]") {
  struct Row {
    std::vector<std::int64_t> shape;
    int scatter_dim, gather_dim;
    std::string piece, output;
  };
  const Row rows[] = {
      {{8}, 0, 0, "[2]", "[8]"},
      {{2, 4, 8}, 2, 1, "[2, 4, 2]", "[2, 16, 2]"},
      {{2, 4, 8}, 1, 2, "[2, 1, 8]", "[2, 1, 32]"},
      {{2, 4, 8, 3}, 2, 1, "[2, 4, 2, 3]", "[2, 16, 2, 3]"},
  };
  for (const Row& row : rows) {
    INFO(shape_text(row.shape) << " by " << row.scatter_dim << ", " << row.gather_dim);
    const AllToAllSpec spec{4, row.shape, row.scatter_dim, row.gather_dim};
    const Scene scene = alltoall_schematic(spec, {}, system_ruler());
    test::check_tidy(scene);
    check_exchange(scene, 4);
    CHECK(has_label(scene, row.piece));
    CHECK(has_label(scene, row.output));
    CHECK(has_label(scene, "12 messages"));
    CHECK(has_label(scene, "and 4 local copies (dotted)"));
  }
  test::check_golden("alltoall_4_scatter_2_gather_1",
                     to_text(alltoall_schematic(AllToAllSpec{}, {}, PlainRuler())));
}

TEST_CASE("the all-to-all schematic of real runs", "[diagrams]") {
  const int ranks = GENERATE(1, 2, 3, 4, 5, 8, 16);
  const std::string name = GENERATE("alltoall.linear", "alltoall.pairwise", "alltoall.bruck");
  INFO(name << " on " << ranks);
  JobSpec job;
  job.call.algorithm = name;
  job.world.size = ranks;
  job.call.shape = {2, 3, 17};  // chunks of different lengths
  job.call.scatter_dim = 2;
  job.call.gather_dim = 1;
  const Scene scene = alltoall_schematic(TraceAnalysis(test::trace_of_job(job)), {}, PlainRuler());
  test::check_tidy(scene);
  check_exchange(scene, ranks);
  if (name == "alltoall.bruck") return;
  for (const Group& group : scene.groups)
    if (group.id.starts_with("message-")) {
      INFO(group.id);
      CHECK(group.timed());
      CHECK(group.end <= scene.clock_end);
      CHECK_THAT(group.story, ContainsSubstring("round "));
    }
}

TEST_CASE("a schematic needs an all-to-all that fits", "[diagrams]") {
  const PlainRuler ruler;
  CHECK_THROWS_AS(alltoall_schematic(AllToAllSpec{4, {8}, 1, 0}, {}, ruler), UserError);
  CHECK_THROWS_AS(alltoall_schematic(AllToAllSpec{4, {8}, 0, -1}, {}, ruler), UserError);
  CHECK_THROWS_AS(alltoall_schematic(AllToAllSpec{17, {34}, 0, 0}, {}, ruler), UserError);
  CHECK_THROWS_AS(alltoall_schematic(AllToAllSpec{4, {}, 0, 0}, {}, ruler), UserError);
  CHECK_THROWS_AS(
      alltoall_schematic(TraceAnalysis(test::registry_trace("allreduce.ring", 4)), {}, ruler),
      UserError);
  CHECK_THROWS_AS(alltoall_schematic(TraceAnalysis(), {}, ruler), UserError);
}

TEST_CASE("whether an all-to-all sends chunks directly is seen from its messages", "[diagrams]") {
  struct Row {
    const char* name;
    int ranks;
    bool direct;
  };
  const Row rows[] =
      {
          {"alltoall.linear", 4, true},
          {"alltoall.pairwise", 5, true},
          {"alltoall.bruck", 4, false},
          {"alltoall.bruck", 5, false},
          {"alltoall.bruck", 3, true},  // nobody passes anything on
          {"allgather.ring", 4, false},
          {"exercise.alltoall_a", 4, false},  // its trace does not say what it is
      };
  for (const auto& [name, ranks, direct] : rows) {
    INFO(name << " on " << ranks);
    const TraceAnalysis run(test::trace_of_algorithm(name, ranks));
    CHECK(sends_chunks_directly(run) == direct);
    GraphOptions graph;
    graph.round = 1;
    CHECK(test::says(communication_graph(run, graph, PlainRuler()), "→") == direct);
    CHECK(test::says(spacetime(run, {}, PlainRuler()), "→") == direct);
  }
}
