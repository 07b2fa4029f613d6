// A network in virtual time: its terms (alpha-beta-gamma and LogGOPS), and when each transfer of bytes between ranks ends.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope {

using TransferId = std::uint64_t;  ///< From 1, in order of beginning.

class Network {
 public:
  virtual ~Network() = default;

  virtual int ranks() const noexcept = 0;
  /// Returns the seconds that the first byte takes without any load: the model's alpha, plus the sum over the route.
  /// Throws UserError if there is no route.
  virtual double latency(Rank from, Rank to) const = 0;
  /// Returns the bytes per second of the narrowest link on the route without other load; infinity if none limits.
  virtual double bandwidth(Rank from, Rank to) const = 0;
  /// Lets `bytes` begin to flow at `now` (seconds; never before an earlier call's `now`). A transfer takes only the
  /// time of its bytes on the links; the caller adds the latency.
  virtual TransferId begin(double now, Rank from, Rank to, std::uint64_t bytes) = 0;
  /// Returns when the next transfer ends if none begins before; infinity if none is under way.
  virtual double next_end() = 0;
  struct Ended {
    TransferId id;
    double at;
    bool failed;  ///< A link of its route broke, and there is no other route.
  };
  /// Moves time on to `now`, and appends the transfers that ended by then, ordered by (end, id).
  virtual void advance(double now, std::vector<Ended>& ended) = 0;
  /// Removes a transfer whose end was not reported yet; ignores any other.
  virtual void cancel(TransferId id) = 0;
};

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
