// Computes lower bounds on rounds, bytes and reductions from a collective's traits.
#include "engine/model/lower_bounds.h"

#include "engine/core/base/partition.h"

namespace rankscope {

LowerBounds lower_bounds(Collective collective, int n, double bytes) noexcept {
  if (n <= 1) return {};
  const CollectiveBounds& bounds = traits(collective).bounds;
  // Chan, Heimlich, Purkayastha, van de Geijn 2007, section 3, "computation": (N-1) D in all, divided among N.
  const bool reduces = traits(collective).reduces;
  return {
      bounds.rounds == CollectiveBounds::kLog ? ceil_log2(n) : bounds.rounds,
      bounds.sent.times(n, bytes),
      bounds.received.times(n, bytes),
      reduces ? bytes * (n - 1) / n : 0,
      bounds.rounds_why,
      bounds.bytes_why,
      reduces ? "N values of each element are combined two at a time, by N ranks together." : "",
      bounds.source};
}

}  // namespace rankscope
