// Reads a run's network, and counts the bytes that its messages bring to each link.
#include "engine/diagrams/network/run_network.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/network/topology_picture.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/network/files/topology_file.h"
#include "engine/network/flow/link_loads.h"
#include "engine/network/placement.h"
#include "engine/network/router.h"

namespace rankscope {
namespace {

/// Returns the bytes by link and direction.
std::vector<double> bytes_carried(const TraceAnalysis& analysis, const RunNetwork& network,
                                  int round) {
  const Topology& topology = network.topology;
  const Topology ends = network.ends();
  const Router router(ends);
  std::vector<double> carried(2 * topology.links.size());
  std::vector<Hop> route;
  const auto& messages = analysis.messages();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const MessageRecord& message = messages[i];
    if (round > 0 && analysis.rounds().round[i] != round) continue;
    if (std::max(message.from, message.to) >= topology.ranks()) continue;
    route.clear();
    const auto [from, to] = network.ends_of(message);
    router.find(from, to, route);
    for (const Hop hop : route) {
      const auto link = static_cast<std::size_t>(hop.link);
      carried[2 * link + way_of(topology.links[link], hop)] += static_cast<double>(message.bytes);
    }
  }
  return carried;
}

/// Returns, by link, the seconds for which its bytes keep it busy.
std::vector<double> busy_seconds(const Topology& topology, const std::vector<double>& carried) {
  std::vector<double> needs;
  for (std::size_t i = 0; i < topology.links.size(); ++i)
    needs.push_back(seconds_needed(topology.links[i], carried[2 * i], carried[2 * i + 1]));
  return needs;
}

}  // namespace

std::pair<Rank, Rank> RunNetwork::ends_of(const MessageRecord& message) const {
  std::pair<Rank, Rank> ends{message.from, message.to};
  const auto way = switches ? switches->way_of(message.tag) : std::nullopt;
  if (way) ends = switches->ends_of(*way);
  for (Rank* const end : {&ends.first, &ends.second})
    *end = way && switches->is_switch(*end) ? network_end(*switches, topology.ranks(), *end)
                                            : placed_at(places, *end);
  return ends;
}

RunNetwork run_network(const TraceMeta& meta, bool uniform) {
  if (meta.network.empty())
    throw UserError(
        "the diagram 'network' shows a simulated run's topology, and this run has none: simulate "
        "it with a 'topology' (rankscope sim ALGORITHM --topology NAME -o FILE)");
  RunNetwork out;
  out.topology = parse_topology(meta.network, "the trace's network");
  if (out.topology.uniform_ranks > 0 && uniform) return out;
  if (out.topology.uniform_ranks > 0)
    throw UserError("a uniform network has no links to draw: choose another topology");
  out.places = parse_placement(meta.job ? meta.job->network.placement : "", out.topology.ranks());
  if (meta.in_network) out.switches = find_reducing_tree(out.topology, out.places, meta.world_size);
  return out;
}

Scene network_loads(const TraceAnalysis& analysis, const NetworkLoadsOptions& options,
                    const Ruler& ruler) {
  RunNetwork network = run_network(analysis.trace().meta());
  Topology& topology = network.topology;
  const auto needs = busy_seconds(topology, bytes_carried(analysis, network, options.round));
  double whole = static_cast<double>(analysis.statistics().duration_ns) * 1e-9;
  TopologyPictureOptions picture;
  if (options.round > 0) {
    whole = needs.empty() ? 0 : *ranges::max_element(needs);
    picture.load_of = "of the bottleneck's time";
  }
  for (const double need : needs)
    picture.loads.push_back(whole > 0 ? std::min(need / whole, 1.0) : 0);
  picture.pane = options.pane;
  if (!options.pane) {
    const TraceMeta& meta = analysis.trace().meta();
    picture.note = run_title(meta, analysis.trace().world_size());
    if (options.round > 0)
      picture.note += fmt::format(", step {} of {}", options.round, analysis.rounds().count);
    if (!network.places.empty()) picture.note += "; numbers are the topology's places";
  }
  if (!options.title.empty()) topology.title = options.title;
  return topology_picture(topology, picture, ruler);
}

}  // namespace rankscope
