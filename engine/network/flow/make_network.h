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

/// The link carries nothing from then on: transfers on it take another route with what is left of them, or fail.
struct LinkFailure {
  int link;
  double at;  ///< Seconds, 0 or more.
};

/// How transfers divide a link that limits them.
enum class Sharing : std::uint8_t {
  equal,
  /// In inverse proportion to the latency of their routes, as TCP does with equal windows, and SimGrid's CM02. Where no
  /// route has any latency, equally.
  by_latency,
};

struct NetworkOptions {
  std::vector<LinkFailure> failures = {};
  /// Outlives the network; null: loads are not reported. A uniform network has no links to report.
  LinkObserver* observer = nullptr;
  Sharing sharing = Sharing::equal;
};

/// Uniform, or with links that transfers share: each link is divided max-min fairly among the
/// transfers on it (Bertsekas, Gallager: Data Networks, 6.5.2), and when one begins or ends, those that it touches by
/// links in common are computed again. latency() is that of the route and the model's alpha. A failure counts as an end
/// in next_end(), whether or not something ends by it. Throws UserError for a topology with a fault, and for a failure
/// of a link that is not there.
std::unique_ptr<Network> make_network(Topology topology, NetworkOptions options = {});

}  // namespace rankscope
