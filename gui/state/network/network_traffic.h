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
  std::string why_none;                      ///< Without a topology: a sentence for a person.
  std::string why_no_loads;                  ///< With one, but without loads.
  /// Where the run's ranks and switches are: `topology` once more.
  std::optional<rankscope::RunNetwork> run;
  std::optional<LinkLoads> loads;
  double end = 0;  ///< The end of the last transfer, in seconds.
  /// By round and link, in the direction that is used more: how long the round's bytes keep it busy, as a part of the
  /// time for which they keep the round's busiest link busy.
  std::vector<float> round_loads;
  std::vector<double> round_needs;  ///< By round: that time. Seconds.
  std::vector<double> mean;         ///< By link, over the whole run.
  std::vector<double> bytes;        ///< By link, both directions.
  std::vector<int> busiest;         ///< Links that carried something, by `mean`.
  /// A message's way over the links, in seconds: it waits for its ports and links from `posted` to `begin`.
  struct Flight {
    std::size_t message = 0;  ///< Index in Rounds::messages.
    double posted = 0, begin = 0, end = 0;
  };
  std::vector<Flight> flights;  ///< By `posted`.
  bool has_loads() const noexcept { return loads.has_value(); }
};

/// May take a while for long runs: call it from a thread of its own.
NetworkTraffic network_traffic(const Document& document);

/// The loads of the links at the cursor, and words for that moment.
struct LoadsShown {
  std::vector<double> of_links;  ///< 0 to 1.
  std::string when;              ///< "step 3 of 14": for a person, with the link that is used most.
  std::string load_of;           ///< The meaning of 100 %: "of its bandwidth used".
  bool operator==(const LoadsShown&) const = default;
};
/// `whole`: the mean of the run. Without loads nothing.
LoadsShown loads_shown(const NetworkTraffic& traffic, ClockBase clock, double moment, bool whole);
/// The mean between two moments of a clock.
double load_between(const NetworkTraffic& traffic, int link, ClockBase clock, double from,
                    double to);

/// Places and names may differ: traffic flows in the same way.
bool carries_alike(const Topology& a, const Topology& b);
/// Returns the path of a message, or empty if it is no message between ranks of this network.
std::vector<Hop> route_between(const Topology& topology, Rank from, Rank to);
/// Returns the path of a message of the run, whose ranks may have other places, over the links of `topology`.
std::vector<Hop> route_of(const NetworkTraffic& traffic, const Topology& topology,
                          const MessageRecord& message);
/// "0 > 1 > socket0 > 3, 1.5 us, 15.75 GB/s": for a person.
std::string route_text(const Topology& topology, const std::vector<Hop>& route);

struct NetworkState {
  std::shared_ptr<const NetworkTraffic>
      of_run;                           ///< Null while nothing is open, or it is being read.
  std::optional<TopologyEditor> draft;  ///< Empty while the run's own is shown.
  std::string file;                  ///< The draft's name or file; empty if it began as the run's.
  bool draft_carries_alike = false;  ///< The draft differs from the run's in places at most.
  std::string unreachable;           ///< The draft's ranks that do not reach each other, in words.
  int link = -1;                     ///< Selected, in what is shown.
  bool linking = false;     ///< Dragging from a node adds a link, and does not move the node.
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
