// Reads which rank is at which place.
#include "engine/network/placement.h"

#include <string>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"

namespace rankscope {

std::vector<Rank> parse_placement(std::string_view text, int topology_ranks) {
  std::vector<Rank> places;
  if (text.empty()) return places;
  std::vector<bool> taken(static_cast<std::size_t>(topology_ranks));
  for (const std::string_view part : split_at(text, ",")) {
    const int place = as_number<int>(trimmed(part)).value_or(-1);
    if (place < 0 || place >= topology_ranks)
      throw UserError(fmt::format("placement: '{}' is no rank of the topology: 0 to {}",
                                  escaped(shortened(std::string(part), 20)), topology_ranks - 1));
    if (taken[static_cast<std::size_t>(place)])
      throw UserError(fmt::format("placement: {} is said twice", place));
    taken[static_cast<std::size_t>(place)] = true;
    places.push_back(place);
  }
  if (std::ssize(places) != topology_ranks)
    throw UserError(
        fmt::format("placement: it has {} places, and the topology {}: say where each "
                    "rank is",
                    places.size(), topology_ranks));
  return places;
}

}  // namespace rankscope
