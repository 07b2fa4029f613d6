// Writes hosts, links and all routes.
#include "engine/network/files/simgrid_platform.h"

#include <string_view>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/network/router.h"

namespace rankscope {
namespace {

constexpr int kMostRoutedRanks = 1000, kMostUniformRanks = 256;

void add_link(std::string& out, std::string_view id, double bandwidth, double latency) {
  out += fmt::format(
      "    <link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}s\" sharing_policy=\"SHARED\"/>\n", id,
      bandwidth, latency);
}

void add_route(std::string& out, Rank from, Rank to, std::string_view links) {
  out += fmt::format("    <route src=\"rank-{}\" dst=\"rank-{}\" symmetrical=\"NO\">{}</route>\n",
                     from, to, links);
}

std::string contained(std::string_view id) { return fmt::format("<link_ctn id=\"{}\"/>", id); }

/// Every pair of ranks has a link of its own.
void add_uniform(std::string& out, const Topology& topology) {
  if (topology.uniform_ranks > kMostUniformRanks)
    throw UserError(fmt::format(
        "a uniform network of {} ranks has a link for each pair: at most {} ranks are written",
        topology.uniform_ranks, kMostUniformRanks));
  if (topology.model.beta <= 0)
    throw UserError("SimGrid's links have a bandwidth: give the model a 'beta' above 0");
  std::string routes;
  for (Rank from = 0; from < topology.ranks(); ++from)
    for (Rank to = 0; to < topology.ranks(); ++to) {
      if (from == to) continue;
      const std::string id = fmt::format("link-{}-{}", from, to);
      add_link(out, id, 1 / topology.model.beta, topology.model.alpha);
      add_route(routes, from, to, contained(id));
    }
  out += routes;
}

std::string direction_id(const Topology& topology, const Hop& hop) {
  const bool half = topology.links[static_cast<std::size_t>(hop.link)].duplex == Duplex::half;
  return fmt::format("link-{}{}", hop.link, half ? "" : hop.back ? "-back" : "-there");
}

void add_shared(std::string& out, const Topology& topology) {
  if (topology.ranks() > kMostRoutedRanks)
    throw UserError(fmt::format("{} ranks have too many routes to write: at most {} ranks",
                                topology.ranks(), kMostRoutedRanks));
  for (int i = 0; i < static_cast<int>(topology.links.size()); ++i) {
    const TopologyLink& link = topology.links[static_cast<std::size_t>(i)];
    add_link(out, direction_id(topology, {i, false}), link.bandwidth, link.latency);
    if (link.duplex == Duplex::full)
      add_link(out, direction_id(topology, {i, true}), link.back, link.latency);
  }
  if (topology.model.alpha > 0)
    out += fmt::format(
        "    <link id=\"alpha\" bandwidth=\"1e18Bps\" latency=\"{}s\" "
        "sharing_policy=\"FATPIPE\"/>\n",
        topology.model.alpha);
  const Router router(topology);
  std::vector<Hop> route;
  for (Rank from = 0; from < topology.ranks(); ++from)
    for (Rank to = 0; to < topology.ranks(); ++to) {
      if (from == to || !router.find(from, to, route)) continue;
      std::string links = topology.model.alpha > 0 ? contained("alpha") : "";
      for (const Hop& hop : route) links += contained(direction_id(topology, hop));
      add_route(out, from, to, links);
    }
}

}  // namespace

std::string to_simgrid(const Topology& topology) {
  check_topology(topology);
  std::string out =
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<!-- For equal times: model CM02, TCP-gamma 0, weight-S 0, crosstraffic 0, optim Full, "
      "factors 1. "
      "-->\n"
      "<platform version=\"4.1\">\n"
      "  <zone id=\"network\" routing=\"Full\">\n";
  for (Rank rank = 0; rank < topology.ranks(); ++rank)
    out += fmt::format("    <host id=\"rank-{}\" speed=\"1Gf\"/>\n", rank);
  if (topology.uniform_ranks > 0) add_uniform(out, topology);
  else add_shared(out, topology);
  return out + "  </zone>\n</platform>\n";
}

}  // namespace rankscope
