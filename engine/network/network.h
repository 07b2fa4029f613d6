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
  /// Seconds that the first byte takes without any load (the sum over the route; alpha on a uniform network). Throws
  /// UserError when there is no route.
  virtual double latency(Rank from, Rank to) const = 0;
  /// Bytes per second of the narrowest link on the route without other load (infinity: none limits).
  virtual double bandwidth(Rank from, Rank to) const = 0;
  /// `bytes` begin to flow at `now` (seconds; never before an earlier call's `now`). The latency is the caller's to add:
  /// a transfer is only the time of its bytes on the links.
  virtual TransferId begin(double now, Rank from, Rank to, std::uint64_t bytes) = 0;
  /// When the next transfer ends if none begins before; infinity: none is under way.
  virtual double next_end() = 0;
  struct Ended {
    TransferId id;
    double at;
    bool failed;  ///< A link of its route broke, and there is no other route.
  };
  /// Moves time on to `now`, and appends those that ended by then, ordered by (end, id).
  virtual void advance(double now, std::vector<Ended>& ended) = 0;
  /// A transfer that is under way never ends; another one is left as it is.
  virtual void cancel(TransferId id) = 0;
};

}  // namespace rankscope
