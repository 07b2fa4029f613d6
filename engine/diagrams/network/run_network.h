// The network of a simulated run, from its trace, and a picture of how much the run used its links.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/network/switch_tree.h"
#include "engine/network/topology.h"

namespace rankscope {

struct RunNetwork {
  Topology topology;
  std::vector<Rank> places;  ///< As parse_placement() returns them: where the job put its ranks.
  std::optional<ReducingTree>
      switches;  ///< The tree of switches, if messages go to and from switches.

  /// Returns the ranks of ends() between which a message travels.
  std::pair<Rank, Rank> ends_of(const MessageRecord& message) const;
  Topology ends() const { return switches ? with_switch_ends(topology, *switches) : topology; }
};

/// Throws UserError, with advice, for a trace without a topology, a network that cannot be read and, unless `uniform`,
/// a uniform one.
RunNetwork run_network(const TraceMeta& meta, bool uniform = false);

struct NetworkLoadsOptions {
  std::string title;  ///< Empty: the topology's.
  int round = 0;      ///< Only its messages; 0 for all.
  bool pane = false;  ///< As TopologyPictureOptions.
};
/// Draws each link with the share of the run's time for which its bytes keep it busy; of a round, the share of the
/// busiest link's time. Nodes have the topology's numbers, even if the job places ranks elsewhere. Throws UserError as
/// run_network() does.
Scene network_loads(const TraceAnalysis& analysis, const NetworkLoadsOptions& options,
                    const Ruler& ruler);

}  // namespace rankscope
