// Adds up what each link carries, by the routes of the messages.
#include "lessons/lesson/network_picture.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/diagrams/network/topology_picture.h"
#include "engine/network/router.h"
#include "engine/run/job/job.h"
#include "engine/run/sim/changed_topology.h"

namespace rankscope {
namespace {

constexpr double kLeastSaid = 0.005;

/// By link, of the busier direction: bytes carried over those that fit into the run's time.
std::vector<double> loads_of(const TraceAnalysis& analysis, const Topology& topology,
                             const std::vector<Rank>& places) {
  const Router router(topology);
  const auto place = [&](Rank rank) {
    return places.empty() ? rank : places[static_cast<std::size_t>(rank)];
  };
  std::vector<double> carried(2 * topology.links.size());
  std::vector<Hop> route;
  for (const MessageRecord& message : analysis.messages()) {
    route.clear();
    router.find(place(message.from), place(message.to), route);
    for (const Hop hop : route)
      carried[2 * static_cast<std::size_t>(hop.link) + (hop.back ? 1 : 0)] +=
          static_cast<double>(message.bytes);
  }
  const double seconds = static_cast<double>(analysis.statistics().duration_ns) * 1e-9;
  std::vector<double> loads;
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    const TopologyLink& link = topology.links[i];
    const double there = carried[2 * i], back = carried[2 * i + 1];
    const double used = link.duplex == Duplex::half
                            ? (there + back) / link.bandwidth
                            : std::max(there / link.bandwidth, back / link.back);
    loads.push_back(seconds > 0 ? std::min(used / seconds, 1.0) : 0);
  }
  return loads;
}

}  // namespace

Scene network_picture(const TraceAnalysis& analysis, bool heading) {
  const JobSpec job = job_from_json(analysis.trace().meta().job_json);
  if (!job.is_simulated() || job.topology.empty())
    throw UserError(
        "the diagram 'network' shows a simulated run's topology: give the run a 'topology'");
  Topology topology = topology_of(job);
  if (topology.uniform_ranks > 0)
    throw UserError("a uniform network has no links to draw: choose another topology");
  const auto places = parse_placement(job.placement, topology.ranks());
  TopologyPictureOptions options;
  options.loads = loads_of(analysis, topology, places);
  for (std::size_t i = 0; i < topology.links.size(); ++i)
    if (options.loads[i] >= kLeastSaid)
      topology.links[i].label += fmt::format(
          "{}{:.0f} %", topology.links[i].label.empty() ? "" : " ", 100 * options.loads[i]);
  options.pane = !heading;
  return topology_picture(topology, options, system_ruler());
}

}  // namespace rankscope
