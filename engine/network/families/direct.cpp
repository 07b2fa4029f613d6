// Generates networks without switches, in which each rank forwards for the others. Also what generators share.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/network/families/generators.h"

namespace rankscope {
namespace {

Topology with_ranks_on_circle(int ranks) {
  Topology out;
  for (int r = 0; r < ranks; ++r) {
    const auto [x, y] = on_circle(r, ranks, 1);
    out.add_node({.name = fmt::format("r{}", r), .x = x, .y = y});
  }
  return out;
}

std::int64_t product_of(const std::vector<int>& sizes) {
  std::int64_t out = 1;
  for (const int size : sizes) {
    if (size < 2 || sizes.size() > 20)
      throw UserError("dimensions: up to 20 whole numbers of 2 or more, such as [4, 4]");
    out *= size;
    require_size(out, 0);
  }
  return out;
}

/// Places ranks in the picture: the last dimension goes to the right, the one before it down, others aslant or in
/// blocks.
void place(Topology& topology, const std::vector<int>& sizes) {
  const std::size_t n = sizes.size();
  std::vector<std::pair<double, double>> step(n);
  // Diagonal neighbours must not come near the next one in a row.
  constexpr std::pair<double, double> kAslant{0.55, 0.45};
  const double aslant = n > 2 ? sizes[n - 3] : 0;
  double right = 1, down = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t d = n - 1 - i;
    if (i == 0) step[d] = {std::max(1.4, aslant * kAslant.first + 0.45), 0};
    else if (i == 1) step[d] = {0, std::max(1.4, aslant * kAslant.second + 0.45)};
    else if (i == 2) step[d] = {kAslant.first, -kAslant.second};
    else if (i % 2 == 1) step[d] = {right, 0};
    else step[d] = {0, down};
    if (i % 2 == 0) right = right + (sizes[d] - 1) * std::abs(step[d].first) + 0.6;
    else down = down + (sizes[d] - 1) * std::abs(step[d].second) + 0.6;
    if (i == 2) right += 0.3, down += 0.5;
  }
  for (int r = 0; r < topology.ranks(); ++r) {
    int rest = r;
    TopologyNode& node = topology.nodes[static_cast<std::size_t>(r)];
    for (std::size_t d = n; d-- > 0; rest /= sizes[d]) {
      node.x += rest % sizes[d] * step[d].first;
      node.y += rest % sizes[d] * step[d].second;
    }
  }
}

/// With `closed`, the last rank of each line is linked to the first.
Topology grid_of(const FamilyArguments& arguments, const std::vector<int>& sizes, bool closed) {
  const std::int64_t ranks = product_of(sizes);
  require_size(ranks, ranks * static_cast<std::int64_t>(sizes.size()));
  Topology out;
  out.routing = Routing::dimension_order;
  out.dimensions = sizes;
  for (int r = 0; r < ranks; ++r) out.add_node({.name = fmt::format("r{}", r)});
  place(out, sizes);
  for (int r = 0; r < ranks; ++r) {
    int stride = static_cast<int>(ranks);
    for (const int size : sizes) {
      stride /= size;
      const int here = r / stride % size;
      if (here + 1 < size) out.add_link(link_between(arguments, "", r, r + stride));
      else if (size > 2 && closed) out.add_link(link_between(arguments, "", r, r - here * stride));
    }
  }
  return out;
}

}  // namespace

void require_size(std::int64_t nodes, std::int64_t links) {
  if (nodes > kMostNodes || links > kMostLinks)
    throw UserError(fmt::format(
        "this would have {} nodes and {} links; at most {} and {}: choose smaller numbers", nodes,
        links, kMostNodes, kMostLinks));
}

TopologyLink link_between(const FamilyArguments& arguments, std::string_view prefix, int a, int b) {
  TopologyLink link = arguments.link(prefix);
  link.a = a;
  link.b = b;
  return link;
}

std::pair<double, double> on_circle(int index, int count, double apart) {
  if (count < 2) return {0, 0};
  const double radius = apart / 2 / std::sin(std::numbers::pi / count);
  const double angle = 2 * std::numbers::pi * index / count;
  return {radius * std::sin(angle), -radius * std::cos(angle)};
}

Topology fully_connected(const FamilyArguments& arguments) {
  const std::int64_t ranks = arguments.whole("ranks");
  require_size(ranks, ranks * (ranks - 1) / 2);
  Topology out = with_ranks_on_circle(static_cast<int>(ranks));
  for (int a = 0; a < ranks; ++a)
    for (int b = a + 1; b < ranks; ++b) out.add_link(link_between(arguments, "", a, b));
  return out;
}

Topology ring_network(const FamilyArguments& arguments) {
  const int ranks = arguments.whole("ranks");
  require_size(ranks, ranks);
  Topology out = with_ranks_on_circle(ranks);
  out.routing = Routing::dimension_order;
  out.dimensions = {ranks};
  for (int r = 0; r < (ranks > 2 ? ranks : 1); ++r)
    out.add_link(link_between(arguments, "", r, (r + 1) % ranks));
  return out;
}

Topology torus_network(const FamilyArguments& arguments) {
  return grid_of(arguments, arguments.wholes("dimensions"), true);
}

Topology mesh_network(const FamilyArguments& arguments) {
  return grid_of(arguments, arguments.wholes("dimensions"), false);
}

/// A torus with two ranks in each dimension.
Topology hypercube_network(const FamilyArguments& arguments) {
  const int dimensions = arguments.whole("dimensions");
  require_size(std::int64_t{1} << dimensions, (std::int64_t{dimensions} << dimensions) / 2);
  return grid_of(arguments, std::vector<int>(static_cast<std::size_t>(dimensions), 2), true);
}

Topology uniform_topology(const FamilyArguments& arguments) {
  Topology out;
  out.uniform_ranks = arguments.whole("ranks");
  return out;
}

}  // namespace rankscope
