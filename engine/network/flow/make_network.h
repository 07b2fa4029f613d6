// The network of a topology.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/network/flow/link_loads.h"
#include "engine/network/network.h"
#include "engine/network/topology.h"

namespace rankscope {

/// Every ordered pair of ranks has links of its own, for as many transfers as there are: each takes bytes * `beta`.
/// Throws UserError for fewer ranks than 1, and for times that are negative or not finite.
std::unique_ptr<Network> make_uniform_network(int ranks, double alpha, double beta);

/// The failure of a link: it carries nothing from then on, and the rest of each transfer on it takes another route, or
/// the transfer fails.
struct LinkFailure {
  int link;
  double at;  ///< Seconds, 0 or more.
};

/// How transfers divide a link that limits them.
enum class Sharing : std::uint8_t {
  equal,
  /// In inverse proportion to the latency of their routes, as TCP does with equal windows, and SimGrid's CM02. A
  /// route without latency has weight 1.
  by_latency,
};

struct NetworkOptions {
  std::vector<LinkFailure> failures = {};
  /// Must outlive the network. If null, loads are not reported. A uniform network has no links to report.
  LinkObserver* observer = nullptr;
  Sharing sharing = Sharing::equal;
};

/// Uniform, or with links that transfers share: each link is divided max-min fairly among the transfers on it
/// (Bertsekas, Gallager: Data Networks, 6.5.2), and when one begins or ends, those that it touches by links in common
/// are computed again. latency() is that of the route and the model's alpha. While transfers are under way, next_end()
/// stops at a failure, too, even if it ends none of them. Throws UserError for a topology with a fault, and for a
/// failure of a link that does not exist.
std::unique_ptr<Network> make_network(Topology topology, NetworkOptions options = {});

}  // namespace rankscope
