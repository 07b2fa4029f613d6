// The network of the run, and the one that somebody edits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/network/topology_editor.h"
#include "gui/state/network/network_traffic.h"

namespace rankscope::gui {

struct NetworkState {
  std::shared_ptr<const NetworkTraffic> of_run;  ///< Null: nothing is open, or it is being read.
  std::optional<TopologyEditor> draft;           ///< Empty: the run's is shown as it is.
  std::string file;  ///< Of the draft: a name or a file; empty: it began as the run's.
  bool draft_carries_alike = false;  ///< The draft differs from the run's in places at most.
  std::string unreachable;           ///< Of the draft: which ranks do not reach each other.
  int link = -1;                     ///< Selected, in what is shown.
  bool linking = false;     ///< Dragging from a node adds a link, and does not move the node.
  bool whole = false;       ///< Loads are those of the whole run.
  bool simulating = false;  ///< The job is being run again.
  std::uint64_t id = 0;     ///< Another one for each change of what is shown.

  /// Null: there is nothing to show.
  const Topology* shown() const noexcept {
    if (draft) return &draft->topology();
    return of_run ? of_run->topology.get() : nullptr;
  }
  /// The loads of the run are those of what is shown.
  const NetworkTraffic* traffic_shown() const noexcept {
    if (!of_run || !of_run->has_loads() || (draft && !draft_carries_alike)) return nullptr;
    return of_run.get();
  }
};

}  // namespace rankscope::gui
