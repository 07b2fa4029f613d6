// A network on which no transfer slows another one.
#pragma once

#include <memory>

#include "engine/network/network.h"

namespace rankscope {

/// Every ordered pair of ranks has links of its own, for as many transfers as there are: each takes bytes * `beta`.
/// Throws UserError for fewer ranks than 1, and for times that are negative or not finite.
std::unique_ptr<Network> make_uniform_network(int ranks, double alpha, double beta);

}  // namespace rankscope
