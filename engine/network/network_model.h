// The terms of a network beside its links (alpha-beta-gamma and LogGOPS), and how its ranks' ports work.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

/// How many messages a rank's port carries at a time.
enum class PortModel : std::uint8_t {
  full,  ///< One out and one in (engine/model/costs/cost_table.h).
  half,  ///< One out or in.
  none,  ///< Any number: only the links limit.
};
inline constexpr PortModel kAllPortModels[] = {PortModel::full, PortModel::half, PortModel::none};
std::string_view to_string(PortModel ports) noexcept;

/// The terms that LogGOPS has beside the links (Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010, section 2). Its L
/// is `alpha` and the route's latency, its G one over the bandwidth of the links or `beta`, its S `eager_limit`. Times
/// in seconds.
struct NetworkModel {
  double alpha = 0;     ///< Latency of each message, in addition to its links'.
  double beta = 0;      ///< Per byte, on a uniform network; 0 for no limit.
  double gamma = 0;     ///< Per byte reduced.
  double overhead = 0;  ///< o: the rank is busy for each message sent, and for each received.
  double gap = 0;       ///< g: the least time between the beginnings of two messages of a rank.
  double byte_overhead = 0;  ///< O: the rank is busy for each byte sent, and for each received.
  PortModel ports = PortModel::full;
  /// S: larger messages use rendezvous.
  std::uint64_t eager_limit = UINT64_MAX;
  bool operator==(const NetworkModel&) const = default;
};

}  // namespace rankscope
