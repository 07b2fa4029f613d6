// Cuts, widens and adds links, and moves ranks to other nodes.
#include "engine/run/job/changed_topology.h"

#include <string>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/network/files/topology_file.h"

namespace rankscope {
namespace {

int node_named(const Topology& topology, std::string_view name) {
  if (const auto rank = as_number<int>(name)) {
    if (*rank >= 0 && *rank < topology.ranks())
      return topology.rank_nodes[static_cast<std::size_t>(*rank)];
    throw UserError(fmt::format("links: there is no rank {} in the topology: it has {}", name,
                                topology.ranks()));
  }
  const auto found = ranges::find(topology.nodes, name, &TopologyNode::name);
  if (found != topology.nodes.end()) return static_cast<int>(found - topology.nodes.begin());
  std::vector<std::string> names;
  for (const TopologyNode& node : topology.nodes) names.push_back(node.name);
  const std::string shown = escaped(shortened(std::string(name), 60));
  throw UserError(fmt::format("links: the topology has no node '{}'{}", shown,
                              nearest_hint(shown, names, "see `rankscope topology show`")));
}

double least_latency(const Topology& topology) {
  const auto least = ranges::min_element(topology.links, {}, &TopologyLink::latency);
  return least == topology.links.end() ? 0 : least->latency;
}

void change_link(Topology& topology, std::string_view change) {
  const auto colon = change.find(':'), equals = change.find('=');
  if (colon == std::string_view::npos || equals == std::string_view::npos || colon > equals)
    throw UserError(
        fmt::format("links: '{}' is no change of a link: write 0:1=cut, or 0:2=50GB/s for the link "
                    "between ranks 0 and 2",
                    escaped(shortened(std::string(change), 60))));
  const int a = node_named(topology, trimmed(change.substr(0, colon)));
  const int b = node_named(topology, trimmed(change.substr(colon + 1, equals - colon - 1)));
  const std::string_view value = trimmed(change.substr(equals + 1));
  if (a == b) throw UserError(fmt::format("links: '{}' joins a node with itself", change));
  const auto joins = [&](const TopologyLink& link) {
    return (link.a == a && link.b == b) || (link.a == b && link.b == a);
  };
  const bool linked = ranges::any_of(topology.links, joins);
  if (value == "cut") {
    if (!linked)
      throw UserError(fmt::format("links: there is no link between {} and {} to cut",
                                  topology.name_of(a), topology.name_of(b)));
    std::erase_if(topology.links, joins);
    return;
  }
  const double bandwidth = parse_bandwidth(value, "links");
  if (!linked) topology.links.push_back({.a = a, .b = b, .latency = least_latency(topology)});
  for (TopologyLink& link : topology.links)
    if (joins(link)) link.bandwidth = link.back = bandwidth;
}

/// A network with its ranks placed on other ranks' nodes.
class PlacedNetwork final : public Network {
 public:
  PlacedNetwork(std::unique_ptr<Network> network, std::vector<Rank> places)
      : network_(std::move(network)), places_(std::move(places)) {}

  int ranks() const noexcept override { return network_->ranks(); }
  double latency(Rank from, Rank to) const override {
    return network_->latency(place(from), place(to));
  }
  double bandwidth(Rank from, Rank to) const override {
    return network_->bandwidth(place(from), place(to));
  }
  TransferId begin(double now, Rank from, Rank to, std::uint64_t bytes) override {
    return network_->begin(now, place(from), place(to), bytes);
  }
  double next_end() override { return network_->next_end(); }
  void advance(double now, std::vector<Ended>& ended) override { network_->advance(now, ended); }
  void cancel(TransferId id) override { network_->cancel(id); }

 private:
  Rank place(Rank rank) const { return places_[static_cast<std::size_t>(rank)]; }

  const std::unique_ptr<Network> network_;
  const std::vector<Rank> places_;
};

}  // namespace

void change_links(Topology& topology, std::string_view changes) {
  if (changes.empty()) return;
  if (topology.uniform_ranks > 0)
    throw UserError("links: a uniform network has no links to change: choose another topology");
  topology.family = {};  // it is no longer what was generated
  for (const std::string_view change : split_at(changes, ","))
    change_link(topology, trimmed(change));
  check_topology(topology);
}

std::unique_ptr<Network> placed(std::unique_ptr<Network> network, std::vector<Rank> places) {
  if (places.empty()) return network;
  return std::make_unique<PlacedNetwork>(std::move(network), std::move(places));
}

Topology topology_of(const JobSpec& spec) {
  Topology topology = open_topology(spec.network.topology);
  change_links(topology, spec.network.links);
  return topology;
}

}  // namespace rankscope
