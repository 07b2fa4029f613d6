// The network of a simulated run as its trace says it, and a picture of how much of its links the run used.
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
      switches;  ///< The tree of switches, of a run whose messages go to and from switches.

  /// Where a message begins and ends: ranks of ends(), which routes and networks are to be made of.
  std::pair<Rank, Rank> ends_of(const MessageRecord& message) const;
  Topology ends() const { return switches ? with_switch_ends(topology, *switches) : topology; }
};

/// Throws UserError, with what to do: of a trace of real processes, of a uniform network, and of one that cannot be read.
/// `uniform`: that is one, too.
RunNetwork run_network(const TraceMeta& meta, bool uniform = false);

struct NetworkLoadsOptions {
  std::string title;  ///< Empty: the topology's.
  int round = 0;      ///< Only its messages; 0 for all.
  bool pane = false;  ///< As TopologyPictureOptions.
};
/// The topology, each link with the part of the run's time for which its bytes keep it busy; of a round, the part of the
/// time that the busiest link needs. Nodes have the topology's numbers, also where the job puts ranks elsewhere. Throws
/// UserError as run_network() does.
Scene network_loads(const TraceAnalysis& analysis, const NetworkLoadsOptions& options,
                    const Ruler& ruler);

}  // namespace rankscope
