// Which rank of a job is at which place of its topology.
#pragma once

#include <string_view>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope {

/// "0,1,4,5,2,3,6,7": rank 2 is where the topology has its rank 4. By rank; empty text: each is at its own place. Throws
/// UserError unless each of the topology's ranks is said once.
std::vector<Rank> parse_placement(std::string_view text, int topology_ranks);

/// The place of a rank; `places` as parse_placement() returns it.
inline Rank placed_at(const std::vector<Rank>& places, Rank rank) {
  return places.empty() ? rank : places[static_cast<std::size_t>(rank)];
}

}  // namespace rankscope
