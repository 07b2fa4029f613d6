// A network in virtual time: it decides when each transfer of bytes between ranks ends.
#pragma once

#include <cstdint>
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

}  // namespace rankscope
