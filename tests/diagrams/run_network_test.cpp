// The network of a run, from its trace, with the loads of its links.
#include "engine/diagrams/network/run_network.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/golden.h"
#include "tests/support/network_traces.h"

using namespace rankscope;
using Catch::Matchers::Contains;

namespace {

/// What each link's story says of its load in a round.
std::vector<std::string> loads_of(const Trace& trace, int round) {
  const TraceAnalysis analysis(trace);
  const Scene scene = network_loads(analysis, {.title = "", .round = round}, PlainRuler());
  CHECK(outside_page(scene).empty());
  std::vector<std::string> out;
  for (const Group& group : scene.groups)
    if (group.id.starts_with("link-"))
      out.push_back(group.story.substr(group.story.find_last_of('\n') + 1));
  return out;
}

}  // namespace

TEST_CASE("network diagram: a step's loads are parts of what the busiest link needs",
          "[diagrams]") {
  const Topology square = test::square_network();
  const std::vector<std::string> all(4, "100 % of the bottleneck's time");
  CHECK(loads_of(test::trace_on(square, "allreduce.ring"), 1) == all);
  Topology slow = square;
  slow.links[2].bandwidth = slow.links[2].back = 0.5e9;
  const auto loads = loads_of(test::trace_on(slow, "allreduce.ring"), 1);
  CHECK(loads[2] == all[0]);
  CHECK(loads[0] == "50 % of the bottleneck's time");
}

TEST_CASE("network diagram: ranks at other places load other links", "[diagrams]") {
  // 0 -> 1 -> 2 -> 3 -> 0 at the places 0, 2, 1, 3: two messages go around a corner, over the lower links.
  const auto loads =
      loads_of(test::trace_on(test::square_network(), "allreduce.ring", "0,2,1,3"), 1);
  CHECK(std::ranges::count(loads, "100 % of the bottleneck's time") > 0);
  CHECK(std::ranges::count(loads, "100 % of the bottleneck's time") < 4);
  const Trace placed = test::trace_on(test::square_network(), "allreduce.ring", "0,2,1,3");
  CHECK(run_network(placed.meta()).places == std::vector<Rank>{0, 2, 1, 3});
}

TEST_CASE("network diagram: a run without a network is refused", "[diagrams]") {
  TraceMeta meta;
  CHECK_THROWS_WITH(run_network(meta), Contains("--topology"));
  meta.network = "nonsense";
  CHECK_THROWS_AS(run_network(meta), UserError);
  Topology uniform;
  uniform.uniform_ranks = 4;
  meta.network = to_toml(uniform);
  CHECK_THROWS_WITH(run_network(meta), Contains("uniform"));
}
