// Generates networks of switches.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/network/families/generators.h"

namespace rankscope {
namespace {

int add_switch(Topology& topology, std::string name, int level, double x, double y) {
  return topology.add_node(
      {.name = std::move(name), .kind = NodeKind::network_switch, .level = level, .x = x, .y = y});
}

int add_end(Topology& topology, double x, double y) {
  return topology.add_node({.name = fmt::format("r{}", topology.ranks()),
                            .kind = NodeKind::rank,
                            .forwards = false,
                            .x = x,
                            .y = y});
}

/// Makes all switches reduce, or none.
void set_reduces(Topology& topology, const FamilyArguments& arguments) {
  for (TopologyNode& node : topology.nodes)
    node.reduces = node.kind == NodeKind::network_switch && arguments.flag("reduces");
}

/// Adds two levels: k leaves with k/2 ranks each, and k/2 spines.
void leaf_and_spine(Topology& out, const FamilyArguments& arguments, int k) {
  const int half = k / 2;
  std::vector<int> leaves;
  const double width = k * half;
  for (int leaf = 0; leaf < k; ++leaf) {
    for (int i = 0; i < half; ++i) add_end(out, leaf * half + i, 0);
    leaves.push_back(
        add_switch(out, fmt::format("leaf{}", leaf), 1, leaf * half + (half - 1) / 2.0, -1.6));
  }
  for (int leaf = 0; leaf < k; ++leaf)
    for (int i = 0; i < half; ++i)
      out.add_link(link_between(arguments, "",
                                out.rank_nodes[static_cast<std::size_t>(leaf * half + i)],
                                leaves[static_cast<std::size_t>(leaf)]));
  for (int s = 0; s < half; ++s) {
    const int spine =
        add_switch(out, fmt::format("spine{}", s), 2, (s + 0.5) * width / half - 0.5, -3.6);
    for (const int leaf : leaves) out.add_link(link_between(arguments, "up_", leaf, spine));
  }
}

/// Adds three levels (Al-Fares, Loukissas, Vahdat: A scalable, commodity data center network architecture, SIGCOMM
/// 2008, section 3.2): k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 core switches; a core switch is linked
/// to one aggregation switch of each pod.
void three_levels(Topology& out, const FamilyArguments& arguments, int k) {
  const int half = k / 2;
  const double width = k * half * half;
  std::vector<int> upper;
  for (int pod = 0; pod < k; ++pod) {
    std::vector<int> edges;
    const double left = pod * half * half;
    for (int e = 0; e < half; ++e) {
      const double first = left + e * half;
      const int edge =
          add_switch(out, fmt::format("p{}.edge{}", pod, e), 1, first + (half - 1) / 2.0, -1.6);
      edges.push_back(edge);
      for (int i = 0; i < half; ++i) {
        const int rank = add_end(out, first + i, 0);
        out.add_link(link_between(arguments, "", rank, edge));
      }
    }
    for (int a = 0; a < half; ++a) {
      upper.push_back(add_switch(out, fmt::format("p{}.agg{}", pod, a), 2,
                                 left + a * half + (half - 1) / 2.0, -3.6));
      for (const int edge : edges) out.add_link(link_between(arguments, "up_", edge, upper.back()));
    }
  }
  for (int c = 0; c < half * half; ++c) {
    const int core =
        add_switch(out, fmt::format("core{}", c), 3, (c + 0.5) * width / (half * half) - 0.5, -6);
    for (int pod = 0; pod < k; ++pod)
      out.add_link(link_between(arguments, "up_",
                                upper[static_cast<std::size_t>(pod * half + c / half)], core));
  }
}

struct DragonflySize {
  int groups, routers, ranks, globals;
};

void add_group(Topology& out, const FamilyArguments& arguments, const DragonflySize& size,
               int group, std::vector<int>& routers) {
  const auto [cx, cy] = on_circle(group, size.groups, size.routers + 1.5);
  const double outwards = 2 * std::numbers::pi * group / size.groups;
  std::vector<int> own;
  for (int r = 0; r < size.routers; ++r) {
    // A line across the group's direction, so that its ranks stand outside.
    const double along = r - (size.routers - 1) / 2.0;
    const double x = cx + along * std::cos(outwards), y = cy + along * std::sin(outwards);
    own.push_back(add_switch(out, fmt::format("g{}.router{}", group, r), 1, x, y));
    for (int i = 0; i < size.ranks; ++i) {
      const double aside = (i - (size.ranks - 1) / 2.0) * 0.8 / size.ranks,
                   far = 1.3 + 0.55 * (i % 2);
      const int rank = add_end(out, x + far * std::sin(outwards) + aside * std::cos(outwards),
                               y - far * std::cos(outwards) + aside * std::sin(outwards));
      out.add_link(link_between(arguments, "", rank, own.back()));
    }
  }
  for (std::size_t a = 0; a < own.size(); ++a)
    for (std::size_t b = a + 1; b < own.size(); ++b)
      out.add_link(link_between(arguments, "local_", own[a], own[b]));
  routers.insert(routers.end(), own.begin(), own.end());
}

}  // namespace

Topology star_network(const FamilyArguments& arguments) {
  const int ranks = arguments.whole("ranks");
  require_size(ranks + 1, ranks);
  Topology out;
  for (int r = 0; r < ranks; ++r) {
    const auto [x, y] = on_circle(r, ranks, 1.3);
    add_end(out, x, y);
  }
  const int middle = add_switch(out, "switch", 1, 0, 0);
  for (int r = 0; r < ranks; ++r) out.add_link(link_between(arguments, "", r, middle));
  set_reduces(out, arguments);
  return out;
}

Topology fat_tree(const FamilyArguments& arguments) {
  const std::int64_t k = arguments.whole("ports");
  if (k % 2 != 0) throw UserError("ports: a fat tree's switches have an even number of ports");
  Topology out;
  out.routing = Routing::up_down;
  if (arguments.whole("levels") == 2) {
    require_size(k * k / 2 + k + k / 2, k * k);
    leaf_and_spine(out, arguments, static_cast<int>(k));
  } else {
    require_size(k * k * k / 4 + k * k * 5 / 4, 3 * k * k * k / 4);
    three_levels(out, arguments, static_cast<int>(k));
  }
  set_reduces(out, arguments);
  return out;
}

/// Kim, Dally, Scott, Abts: Technology-driven, highly-scalable dragonfly topology (ISCA 2008): a routers in a group,
/// all linked to each other, p ranks and h global links at each, up to a * h + 1 groups; here each pair of groups has
/// one link.
Topology dragonfly(const FamilyArguments& arguments) {
  DragonflySize size{0, arguments.whole("routers"), arguments.whole("ranks_per_router"),
                     arguments.whole("global_links")};
  const int most = size.routers * size.globals + 1;
  size.groups = arguments.whole("groups");
  if (size.groups == 0) size.groups = most;
  if (size.groups > most)
    throw UserError(
        fmt::format("groups: {} routers with {} global links each join at most {} groups",
                    size.routers, size.globals, most));
  const std::int64_t g = size.groups, a = size.routers, p = size.ranks;
  require_size(g * a * (p + 1), g * a * p + g * a * (a - 1) / 2 + g * (g - 1) / 2);
  Topology out;
  out.routing = Routing::minimal;
  std::vector<int> routers;
  for (int group = 0; group < size.groups; ++group) add_group(out, arguments, size, group, routers);
  // The j-th other group is linked to router j / h.
  const auto router = [&](int group, int other) {
    const int j = (other - group + size.groups) % size.groups - 1;
    return routers[static_cast<std::size_t>(group * size.routers + j / size.globals)];
  };
  for (int x = 0; x < size.groups; ++x)
    for (int y = x + 1; y < size.groups; ++y)
      out.add_link(link_between(arguments, "global_", router(x, y), router(y, x)));
  return out;
}

}  // namespace rankscope
