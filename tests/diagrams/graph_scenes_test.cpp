// The graph, the matrix, the table and the comparison, of every algorithm: nothing overlaps, nothing
// lies outside of the page, and what is drawn is what was sent.
#include <cmath>
#include <map>
#include <set>

#include "engine/analysis/events/rounds.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/diagrams/graph/alltoall_schematic.h"
#include "engine/diagrams/graph/communication_graph.h"
#include "engine/diagrams/graph/traffic_matrix.h"
#include "engine/diagrams/spacetime/comparison.h"
#include "engine/diagrams/table/statistics_table.h"
#include "tests/diagrams/graph_runs.h"
#include "tests/support/golden.h"
#include "tests/support/made_up_run.h"
#include "tests/support/runs.h"

using namespace rankscope;
using test::check_tidy;
using test::registry_trace;

namespace {

const Group& group_of(const Scene& scene, const Mark& mark) {
  return scene.groups.at(static_cast<std::size_t>(mark.group));
}
bool in_group(const Scene& scene, const Mark& mark, const std::string& prefix) {
  return mark.group >= 0 && group_of(scene, mark).id.starts_with(prefix);
}

// Labels keep clear of nodes and of each other; arrows end at nodes.
void check_graph(const Scene& scene) {
  std::vector<Box> pills, nodes;
  for (const Mark& mark : scene.marks) {
    if (mark.kind != Mark::Kind::box) continue;
    if (in_group(scene, mark, "link-")) pills.push_back(mark.box);
    if (in_group(scene, mark, "rank-")) nodes.push_back(mark.box);
  }
  for (std::size_t i = 0; i < pills.size(); ++i) {
    for (std::size_t j = i + 1; j < pills.size(); ++j) CHECK_FALSE(pills[i].overlaps(pills[j]));
    for (const Box& node : nodes) {
      const Point c = node.center();
      const double dx = std::max({pills[i].x - c.x, c.x - pills[i].right(), 0.0});
      const double dy = std::max({pills[i].y - c.y, c.y - pills[i].bottom(), 0.0});
      CHECK(std::hypot(dx, dy) >= node.width / 2);
    }
  }
  for (const Mark& mark : scene.marks) {
    if (mark.kind != Mark::Kind::path || !in_group(scene, mark, "link-")) continue;
    const auto near = [&](Point p) {
      return std::ranges::count_if(nodes, [&](const Box& node) {
        const Point c = node.center();
        const double distance = std::hypot(p.x - c.x, p.y - c.y) - node.width / 2;
        return distance >= 0 && distance < 10;
      });
    };
    CHECK(near(mark.points.front()) == 1);
    CHECK(near(mark.points.back()) == 1);
  }
}

std::size_t groups_named(const Scene& scene, const std::string& prefix) {
  return static_cast<std::size_t>(std::ranges::count_if(
      scene.groups, [&](const Group& group) { return group.id.starts_with(prefix); }));
}

const Mark* text_mark(const Scene& scene, const std::string& text) {
  for (const Mark& mark : scene.marks)
    if (mark.kind == Mark::Kind::text && mark.text == text) return &mark;
  return nullptr;
}

// Each rank sends a MiB to its right neighbour.
Trace large_ring(int n) {
  constexpr std::uint64_t kBytes = 1 << 20;
  test::MadeUpRun run(n);
  std::vector<OpId> sends;
  for (Rank rank = 0; rank < n; ++rank)
    sends.push_back(run.post(Verb::send, rank, wrap(rank + 1, n), 1000, kBytes));
  for (Rank rank = 0; rank < n; ++rank) {
    const Rank prev = wrap(rank - 1, n);
    run.receive(run.post(Verb::recv, rank, prev, 2000, kBytes),
                sends[static_cast<std::size_t>(prev)], 3000, kBytes);
  }
  run.meta.algorithm = "large ring";
  return run.trace();
}

}  // namespace

TEST_CASE("every algorithm's graph, matrix and table are tidy", "[diagrams]") {
  const int ranks = GENERATE(3, 4, 5, 8, 16);
  for (const auto& algorithm : algorithms()) {
    INFO(algorithm.name << " on " << ranks);
    const TraceAnalysis trace(registry_trace(std::string(algorithm.name), ranks, 2 * ranks + 1));
    const int last = trace.rounds().count;
    const PlainRuler plain;
    for (const Ruler* ruler :
         {static_cast<const Ruler*>(&system_ruler()), static_cast<const Ruler*>(&plain)}) {
      for (const int round : std::set<int>{0, std::min(1, last), last / 2, last}) {
        INFO("round " << round);
        GraphOptions options;
        options.round = round;
        const Scene graph = communication_graph(trace, options, *ruler);
        check_tidy(graph);
        check_graph(graph);
        CHECK(groups_named(graph, "rank-") == static_cast<std::size_t>(ranks));
      }
      check_tidy(traffic_matrix(trace, {}, *ruler));
      check_tidy(traffic_matrix(trace, {MatrixOptions::Of::messages, {}}, *ruler));
      check_tidy(statistics_table(trace, {}, *ruler));
      check_tidy(
          statistics_table(trace, {.title = {}, .pane = true, .bounds_below = true}, *ruler));
    }
  }
}

TEST_CASE("every algorithm beside the first of its collective is tidy", "[diagrams]") {
  const int ranks = GENERATE(3, 4, 8);
  const PlainRuler ruler;
  std::map<Collective, std::string> first;
  for (const auto& algorithm : algorithms()) {
    const std::string name(algorithm.name);
    first.emplace(algorithm.collective, name);
    INFO(name << " on " << ranks);
    const TraceAnalysis a(registry_trace(first.at(algorithm.collective), ranks, 2 * ranks));
    const TraceAnalysis b(registry_trace(name, ranks, 2 * ranks));
    for (const bool portrait : {false, true}) {
      ComparisonOptions options;
      options.portrait = portrait;
      check_tidy(comparison(a, b, options, ruler));
    }
  }
}

TEST_CASE("a graph's layout follows from its messages", "[diagrams]") {
  const auto layout = [](const std::string& name, int ranks) {
    const TraceAnalysis trace(registry_trace(name, ranks, 2 * ranks));
    const Rounds all = trace.rounds();
    std::map<std::pair<int, int>, int> first;
    for (std::size_t i = 0; i < all.messages.size(); ++i)
      if (!all.messages[i].sync)
        first.emplace(std::pair{all.messages[i].from, all.messages[i].to}, i);
    Links links;
    for (const auto& [ends, i] : first) links.push_back(ends);
    std::ranges::stable_sort(links, {}, [&](const auto& ends) {
      return all.round[static_cast<std::size_t>(first.at(ends))];
    });
    return graph_shape(ranks, links);
  };
  CHECK(layout("allreduce.ring", 8).layout == GraphLayout::ring);
  CHECK(layout("allreduce.ring", 5).layout == GraphLayout::ring);
  CHECK(layout("allreduce.bde", 8).layout == GraphLayout::hypercube);
  CHECK(layout("allreduce.bde", 16).layout == GraphLayout::hypercube);
  CHECK(layout("allreduce.bde", 5).layout == GraphLayout::ring);
  CHECK(layout("broadcast.flat", 5).layout == GraphLayout::tree);
  CHECK(layout("broadcast.flat", 16).layout == GraphLayout::star);
  CHECK(layout("alltoall.linear", 8).layout == GraphLayout::ring);
  CHECK(layout("allreduce.hierarchical", 16).layout == GraphLayout::grid);
  for (const char* name : {"broadcast.binomial", "reduce.binomial", "allreduce.tree"}) {
    const GraphShape tree = layout(name, 8);
    CHECK(tree.layout == GraphLayout::tree);
    for (std::size_t i = 1; i < 8; ++i)
      CHECK(tree.at[0].y < tree.at[i].y);  // the root is above all
  }
}

TEST_CASE("a graph of one round says what its messages carry", "[diagrams]") {
  const PlainRuler ruler;
  const TraceAnalysis trace(registry_trace("allreduce.ring", 4));
  GraphOptions options;
  options.round = 1;
  const Scene scene = communication_graph(trace, options, ruler);
  CHECK(groups_named(scene, "link-") == 4);
  for (int chunk = 0; chunk < 4; ++chunk) {
    const Mark* label = text_mark(scene, "c" + std::to_string(chunk));
    REQUIRE(label != nullptr);
    CHECK(label->fill == Ink{Tone::on_chunk, chunk});
    // Rank r begins with its own chunk.
    CHECK(group_of(scene, *label).id ==
          "link-" + std::to_string(chunk) + "-" + std::to_string((chunk + 1) % 4));
  }
  test::check_golden("graph_ring_4_round_1", to_text(scene));
  options.round = 7;
  CHECK_THROWS_AS(communication_graph(trace, options, ruler), UserError);
  options.round = -1;
  CHECK_THROWS_AS(communication_graph(trace, options, ruler), UserError);
  CHECK_THROWS_AS(communication_graph(TraceAnalysis(), {}, ruler), UserError);
  options = {};
  options.layout = GraphLayout::tree;
  CHECK_THROWS_AS(communication_graph(trace, options, ruler), UserError);
}

TEST_CASE("a matrix has one unit, sums, and nothing on its diagonal", "[diagrams]") {
  const PlainRuler ruler;
  const TraceAnalysis trace(registry_trace("broadcast.binomial", 4, 512));
  const Scene scene = traffic_matrix(trace, {}, ruler);
  CHECK(groups_named(scene, "cell-") == 3);
  REQUIRE(text_mark(scene, "4"));  // rank 0 sends 2 KiB twice
  CHECK(text_mark(scene, "6"));    // in all
  test::check_golden("matrix_binomial_4", to_text(scene));
  CHECK_THROWS_AS(traffic_matrix(TraceAnalysis(), {}, ruler), UserError);
}

TEST_CASE("64 and 1000 ranks still make pictures", "[diagrams]") {
  const PlainRuler ruler;
  const int ranks = GENERATE(2, 64, 1000);
  const TraceAnalysis trace(large_ring(ranks));
  const Scene matrix = traffic_matrix(trace, {}, ruler);
  check_tidy(matrix);
  const Scene table = statistics_table(trace, {}, ruler);
  check_tidy(table);
  const Scene graph = communication_graph(trace, {}, ruler);
  check_tidy(graph);
  check_graph(graph);
  if (ranks == 1000) {
    CHECK(text_mark(table, "… 984 more ranks"));
    CHECK(groups_named(graph, "rank-") == 16);
    CHECK(groups_named(matrix, "cell-") == 126);  // within a bin, and to the next one
    CHECK(test::says(matrix, "stands for 16 consecutive ranks"));
  } else {
    CHECK(groups_named(graph, "link-") == static_cast<std::size_t>(ranks));
    CHECK(text_mark(matrix, "1"));
  }
}
