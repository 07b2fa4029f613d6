// Carries the messages of a finished run over a network again, to show the load of each link over time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/network/flow/link_loads.h"
#include "engine/network/flow/make_network.h"
#include "engine/network/topology.h"

namespace rankscope {

/// A message, which leaves as soon as the ports of both ranks are free.
struct PostedMessage {
  Rank from = 0, to = 0;
  std::uint64_t bytes = 0;
  double posted = 0;  ///< Seconds.
  int out_port = -1,
      in_port = -1;  ///< Numbers of the ports that it takes; -1: those of `from` and `to`.
};

/// When a message's bytes were on the links, in seconds; both -1 if it was not carried.
struct CarriedTime {
  double begin = -1, end = -1;
};

/// Carries messages, which must be ordered by `posted`, much as the simulator does (transports/sim/shared_transfers.h):
/// ports as in the topology's model, each in the order of posting, and links divided max-min fairly. Leaves out jitter
/// and a rank's own overheads, which are not in a trace. `observer` receives the loads; links fail as in `failures`.
/// Throws UserError for a topology with a fault and for ranks that it does not have.
std::vector<CarriedTime> replay(const Topology& topology, std::span<const PostedMessage> messages,
                                LinkObserver& observer, std::vector<LinkFailure> failures = {});

}  // namespace rankscope
