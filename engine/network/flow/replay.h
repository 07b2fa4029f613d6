// Messages of a run that has been, carried over a network once more: which link was how loaded when.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/network/flow/link_loads.h"
#include "engine/network/flow/make_network.h"
#include "engine/network/topology.h"

namespace rankscope {

/// A message that went off as soon as the ports of both ranks were free.
struct PostedMessage {
  Rank from = 0, to = 0;
  std::uint64_t bytes = 0;
  double posted = 0;  ///< Seconds.
  int out_port = -1,
      in_port = -1;  ///< Numbers of the ports that it takes; -1: those of `from` and `to`.
};

/// When its bytes were on the links. Seconds; both -1: it was not carried.
struct CarriedTime {
  double begin = -1, end = -1;
};

/// Carries messages, which are ordered by `posted`, as the simulator does (transports/sim/shared_transfers.h): ports as
/// the topology's model says, links divided max-min fairly. Jitter and a rank's own overheads are not in a trace, and
/// not known here. `observer` receives the loads; links fail as in `failures`. Throws UserError for a topology with a fault and for ranks
/// that it does not have.
std::vector<CarriedTime> replay(const Topology& topology, std::span<const PostedMessage> messages,
                                LinkObserver& observer, std::vector<LinkFailure> failures = {});

}  // namespace rankscope
