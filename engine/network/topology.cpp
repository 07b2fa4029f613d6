// Names of what a topology has, and its links by node.
#include "engine/network/topology.h"

#include <fmt/format.h>

namespace rankscope {

std::string_view to_string(NodeKind kind) noexcept {
  switch (kind) {
    case NodeKind::rank: return "rank";
    case NodeKind::network_switch: return "switch";
    case NodeKind::nic: return "nic";
    case NodeKind::pcie_switch: return "pcie-switch";
    case NodeKind::socket: break;
  }
  return "socket";
}

std::string_view to_string(Duplex duplex) noexcept {
  return duplex == Duplex::full ? "full" : "half";
}

std::string_view to_string(Routing routing) noexcept {
  switch (routing) {
    case Routing::shortest: return "shortest";
    case Routing::minimal: return "minimal";
    case Routing::dimension_order: return "dimension-order";
    case Routing::up_down: break;
  }
  return "up-down";
}

std::string Topology::link_name(int link) const {
  const TopologyLink& one = links.at(static_cast<std::size_t>(link));
  return fmt::format("{} - {}", name_of(one.a), name_of(one.b));
}

int Topology::add_node(TopologyNode node) {
  const int index = static_cast<int>(nodes.size());
  if (node.kind == NodeKind::rank) rank_nodes.push_back(index);
  nodes.push_back(std::move(node));
  return index;
}

int Topology::add_link(TopologyLink link) {
  links.push_back(std::move(link));
  return static_cast<int>(links.size()) - 1;
}

Adjacency::Adjacency(const Topology& topology) : begin_(topology.nodes.size() + 1) {
  for (const TopologyLink& link : topology.links)
    for (const int end : {link.a, link.b}) ++begin_[static_cast<std::size_t>(end) + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  edges_.resize(2 * topology.links.size());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (int i = 0; i < static_cast<int>(topology.links.size()); ++i) {
    const TopologyLink& link = topology.links[static_cast<std::size_t>(i)];
    edges_[next[static_cast<std::size_t>(link.a)]++] = {i, link.b, false};
    edges_[next[static_cast<std::size_t>(link.b)]++] = {i, link.a, true};
  }
}

}  // namespace rankscope
