// The place of each rank of a job in its topology.
#pragma once

#include <string_view>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope {

/// "0,1,4,5,2,3,6,7": rank 2 is where the topology has its rank 4. Returns the places by rank; none for an empty text,
/// with which each rank is at its own place. Throws UserError unless each rank of the topology is named once.
std::vector<Rank> parse_placement(std::string_view text, int topology_ranks);

/// Returns the place of a rank; `places` are parse_placement()'s.
inline Rank placed_at(const std::vector<Rank>& places, Rank rank) {
  return places.empty() ? rank : places[static_cast<std::size_t>(rank)];
}

}  // namespace rankscope
