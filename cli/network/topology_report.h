// What `rankscope topology` says of one, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal/console.h"
#include "engine/network/topology.h"

namespace rankscope::cli {

using RankPair = std::pair<Rank, Rank>;

/// "8 ranks, 24 links: 16 of 12.5 GB/s, 8 of 50 GB/s".
std::string size_text(const Topology& topology);
/// Size, diameter and bisection, links, and the route of a pair.
std::string topology_text(const Topology& topology, const std::optional<RankPair>& pair,
                          const Style& style);
nlohmann::ordered_json topology_json(const Topology& topology, const std::optional<RankPair>& pair);
/// "diameter 4 links, bisection bandwidth 25 GB/s": a line for a picture.
std::string figures_text(const Topology& topology);
/// A row for each parameter of each family.
std::string families_text(const Style& style);
nlohmann::ordered_json families_json();

}  // namespace rankscope::cli
