// Generated topologies: how many nodes and links they have, and which routes their rules take.
#include "engine/network/families/families.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/network/router.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

FamilyCall call_of(std::string name, std::map<std::string, FamilyValue, std::less<>> values = {}) {
  return {std::move(name), std::move(values)};
}
FamilyValue numbers(std::vector<int> all) { return all; }

std::string route_text(const Topology& topology, Rank from, Rank to) {
  const Router router(topology);
  std::vector<Hop> route;
  REQUIRE(router.find(from, to, route));
  std::string out;
  int at = topology.rank_nodes[static_cast<std::size_t>(from)];
  for (const Hop& hop : route) {
    const TopologyLink& link = topology.links[static_cast<std::size_t>(hop.link)];
    CHECK(at == (hop.back ? link.b : link.a));
    at = hop.back ? link.a : link.b;
    out += (out.empty() ? "" : " ") + topology.name_of(at);
  }
  CHECK(at == topology.rank_nodes[static_cast<std::size_t>(to)]);
  return out;
}

}  // namespace

TEST_CASE("each family generates a topology without a fault, in which all routes arrive") {
  for (const Family& family : families()) {
    CAPTURE(family.name);
    const Topology topology = generate(call_of(std::string(family.name)));
    CHECK(find_fault(topology).text == "");
    if (topology.uniform_ranks > 0) continue;
    for (Rank from = 0; from < std::min(topology.ranks(), 20); ++from)
      for (Rank to = 0; to < topology.ranks(); ++to) route_text(topology, from, to);
  }
}

TEST_CASE("families have as many nodes and links as their formulas say") {
  const auto size = [](const FamilyCall& call) {
    const Topology t = generate(call);
    return fmt::format("{} {} {}", t.ranks(), t.nodes.size(), t.links.size());
  };
  CHECK(size(call_of("ring", {{"ranks", numbers({8})}})) == "8 8 8");
  CHECK(size(call_of("ring", {{"ranks", numbers({2})}})) == "2 2 1");
  CHECK(size(call_of("fully-connected", {{"ranks", numbers({8})}})) == "8 8 28");
  CHECK(size(call_of("torus", {{"dimensions", numbers({4, 4})}})) == "16 16 32");
  CHECK(size(call_of("torus", {{"dimensions", numbers({4, 4, 4})}})) == "64 64 192");
  CHECK(size(call_of("torus", {{"dimensions", numbers({2, 3})}})) == "6 6 9");
  CHECK(size(call_of("mesh", {{"dimensions", numbers({4, 4})}})) == "16 16 24");
  CHECK(size(call_of("hypercube", {{"dimensions", numbers({4})}})) == "16 16 32");
  CHECK(size(call_of("star", {{"ranks", numbers({5})}})) == "5 6 5");
  CHECK(size(call_of("fat-tree", {{"ports", numbers({4})}})) == "16 36 48");
  CHECK(size(call_of("fat-tree", {{"ports", numbers({4})}, {"levels", numbers({2})}})) ==
        "8 14 16");
  CHECK(size(call_of("dragonfly")) == "72 108 162");  // 9 groups of 4 routers: 72 + 54 + 36 links
  CHECK(size(call_of("pcie-server")) == "8 14 13");
  CHECK(size(call_of("nvswitch")) == "8 9 8");
  CHECK(size(call_of("gpu-cluster")) == "32 106 136");
  CHECK(generate(call_of("uniform", {{"ranks", numbers({1'000'000})}})).ranks() == 1'000'000);
}

TEST_CASE("routes follow the rule of their family") {
  const Topology torus = generate(call_of("torus", {{"dimensions", numbers({4, 4})}}));
  CHECK(route_text(torus, 0, 10) == "r4 r8 r9 r10");  // the first dimension first
  CHECK(route_text(torus, 0, 15) == "r12 r15");       // both around
  const Topology mesh = generate(call_of("mesh", {{"dimensions", numbers({4, 4})}}));
  CHECK(route_text(mesh, 0, 15) == "r4 r8 r12 r13 r14 r15");
  CHECK(route_text(mesh, 15, 0) == "r11 r7 r3 r2 r1 r0");
  const Topology block = generate(call_of("mesh", {{"dimensions", numbers({3, 3, 3})}}));
  CHECK(route_text(block, 2, 25) == "r11 r20 r23 r26 r25");
  CHECK(route_text(block, 0, 2) == "r1 r2");  // no step in two of the dimensions
  const Topology cube = generate(call_of("hypercube"));
  CHECK(route_text(cube, 0, 7) == "r4 r6 r7");
  const Topology tree = generate(call_of("fat-tree"));
  CHECK(route_text(tree, 0, 1) == "p0.edge0 r1");
  CHECK(route_text(tree, 0, 2) == "p0.edge0 p0.agg0 p0.edge1 r2");
  CHECK(route_text(tree, 0, 3) == "p0.edge0 p0.agg1 p0.edge1 r3");
  CHECK(route_text(tree, 0, 15) == "p0.edge0 p0.agg1 core3 p3.agg1 p3.edge1 r15");
  const Topology fly = generate(call_of("dragonfly"));
  const Router router(fly);
  std::vector<Hop> route;
  for (Rank to = 8; to < fly.ranks(); ++to) {
    REQUIRE(router.find(0, to, route));
    CHECK(route.size() <= 5);  // two at the ranks, local, global, local
  }
  const Topology rails = generate(call_of("gpu-cluster", {{"rails", FamilyValue(true)}}));
  CHECK(route_text(rails, 0, 8) == "h0.pcie0 h0.nic0 rail0 h1.nic0 h1.pcie0 h1.gpu0");
  CHECK(route_text(rails, 0, 3) == "h0.nvswitch h0.gpu3");
  CHECK(route_text(rails, 0, 9) == "h0.pcie0 h0.nic0 rail0 spine0 rail1 h1.nic1 h1.pcie1 h1.gpu1");
}

TEST_CASE("a GPU forwards nothing, a rank of a ring does") {
  Topology t;
  for (const char* name : {"a", "b", "c"}) t.add_node({.name = name});
  t.add_link({.a = 0, .b = 1, .bandwidth = 1, .back = 1});
  t.add_link({.a = 1, .b = 2, .bandwidth = 1, .back = 1});
  CHECK(find_fault(t).text == "");
  CHECK(route_text(t, 0, 2) == "b c");
  for (TopologyNode& node : t.nodes) node.forwards = false;
  CHECK(test::has(find_fault(t).text, "rank 0 ('a') cannot reach rank 2 ('c')"));
}

TEST_CASE("families refuse what they do not know, and what would be too large") {
  const auto error = [](const FamilyCall& call) -> std::string {
    try {
      generate(call);
    } catch (const UserError& refused) {
      return refused.what();
    }
    return "";
  };
  CHECK(error(call_of("rng")) == "there is no family 'rng'; did you mean 'ring'?");
  CHECK(error(call_of("ring", {{"rank", numbers({8})}})) ==
        "the family ring has no 'rank'; did you mean 'ranks'?");
  CHECK(error(call_of("ring", {{"ranks", numbers({1})}})) == "ranks: 2 to 100000, not 1");
  CHECK(error(call_of("ring", {{"bandwidth", FamilyValue(true)}})) ==
        "bandwidth: a bandwidth, such as \"10 GB/s\"");
  CHECK(test::has(error(call_of("torus", {{"dimensions", numbers({100, 100, 100})}})),
                  "this would have 1000000 nodes"));
  CHECK(test::has(error(call_of("fat-tree", {{"ports", numbers({5})}})), "an even number"));
  CHECK(test::has(error(call_of("dragonfly", {{"groups", numbers({10})}})), "at most 9 groups"));
}

TEST_CASE("of routes that are equally short, the widest is taken") {
  Topology t;
  for (const char* name : {"a", "b"}) t.add_node({.name = name, .forwards = false});
  for (const char* name : {"narrow", "wide"})
    t.add_node({.name = name, .kind = NodeKind::network_switch});
  for (const int middle : {2, 3})
    for (const int end : {0, 1})
      t.add_link({.a = end, .b = middle, .bandwidth = middle + 0.0, .back = middle + 0.0});
  CHECK(route_text(t, 0, 1) == "wide b");
}
