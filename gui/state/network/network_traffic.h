// The network of a simulated run: the loads of its links, and the topology that is shown or edited.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/diagrams/network/run_network.h"
#include "engine/network/flow/link_loads.h"
#include "engine/network/flow/replay.h"
#include "engine/network/router.h"
#include "engine/network/topology_editor.h"
#include "gui/state/run/document.h"

namespace rankscope::gui {

struct NetworkTraffic {
  std::uint64_t document = 0;                ///< Its id.
  std::shared_ptr<const Topology> topology;  ///< Null if the run has none.
  std::string why_none;                      ///< Why there is no topology: a sentence.
  std::string why_no_loads;                  ///< Why a topology has no loads.
  /// `topology` once more, with the places of the run's ranks and switches.
  std::optional<rankscope::RunNetwork> run;
  std::optional<LinkLoads> loads;
  double end = 0;  ///< The end of the last transfer, in seconds.
  /// By round and link: how long the round's bytes keep its busier direction busy, as a share of `round_needs`.
  std::vector<float> round_loads;
  std::vector<double> round_needs;  ///< By round: that time of the busiest link, in seconds.
  std::vector<double> mean;         ///< By link, over the whole run.
  std::vector<double> bytes;        ///< By link, both directions.
  std::vector<int> busiest;         ///< Used links, the largest `mean` first.
  /// A message's times on its way, in seconds: it waits for its ports and links from `posted` to `begin`.
  struct Flight {
    std::size_t message = 0;  ///< Index in Rounds::messages.
    double posted = 0, begin = 0, end = 0;
  };
  std::vector<Flight> flights;  ///< By `posted`.
  bool has_loads() const noexcept { return loads.has_value(); }
};

/// Replays the messages. Takes long for long runs: call it from a thread of its own.
NetworkTraffic network_traffic(const Document& document);

/// The loads of the links at the cursor, and words for that moment.
struct LoadsShown {
  std::vector<double> of_links;  ///< 0 to 1.
  std::string when;              ///< "step 3 of 14 · bottleneck: 0-1, 5 µs for its bytes"
  std::string load_of;           ///< The meaning of 100 %: "of its bandwidth used".
  bool operator==(const LoadsShown&) const = default;
};
/// `whole`: the mean of the run. Empty without loads.
LoadsShown loads_shown(const NetworkTraffic& traffic, ClockBase clock, double moment, bool whole);
/// Returns the mean load between two moments, 0 to 1.
double load_between(const NetworkTraffic& traffic, int link, ClockBase clock, double from,
                    double to);

/// Returns whether at most names and drawn positions differ.
bool carries_alike(const Topology& a, const Topology& b);
/// Returns the path of a message; empty if the ranks are not in this network, or there is none.
std::vector<Hop> route_between(const Topology& topology, Rank from, Rank to);
/// Returns the path of a message over the links of `topology`, from and to the places of the run's ranks.
std::vector<Hop> route_of(const NetworkTraffic& traffic, const Topology& topology,
                          const MessageRecord& message);
/// "rank 0 → socket0 → rank 3 · 1.5 µs · 15.75 GB/s"
std::string route_text(const Topology& topology, const std::vector<Hop>& route);

struct NetworkState {
  std::shared_ptr<const NetworkTraffic>
      of_run;                           ///< Null while nothing is open, or it is being read.
  std::optional<TopologyEditor> draft;  ///< Empty while the run's own is shown.
  std::string file;                  ///< The draft's name or file; empty if it began as the run's.
  bool draft_carries_alike = false;  ///< carries_alike() of the draft and the run's.
  std::string unreachable;           ///< The draft's ranks that do not reach each other, in words.
  int link = -1;                     ///< Selected, in what is shown.
  bool linking = false;     ///< Dragging from a node adds a link instead of moving the node.
  bool whole = false;       ///< Loads are those of the whole run.
  bool simulating = false;  ///< The job is being run again.
  std::uint64_t id = 0;     ///< Changes with the picture.

  /// Returns the topology to show, or null.
  const Topology* shown() const noexcept {
    if (draft) return &draft->topology();
    return of_run ? of_run->topology.get() : nullptr;
  }
  /// Returns the run's loads if they are of the shown topology.
  const NetworkTraffic* traffic_shown() const noexcept {
    if (!of_run || !of_run->has_loads() || (draft && !draft_carries_alike)) return nullptr;
    return of_run.get();
  }
};

}  // namespace rankscope::gui
