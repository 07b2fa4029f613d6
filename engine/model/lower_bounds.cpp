// The table of lower bounds on steps, bytes and additions for each collective.
#include "engine/model/lower_bounds.h"

#include "engine/core/base/partition.h"

namespace rankscope {

LowerBounds lower_bounds(Collective collective, int n, double bytes) noexcept {
  if (n <= 1) return {};
  const CollectiveBounds& bounds = traits(collective).bounds;
  return {bounds.rounds == CollectiveBounds::kLog ? ceil_log2(n) : bounds.rounds,
          bounds.sent.times(n, bytes),
          bounds.received.times(n, bytes),
          bounds.rounds_why,
          bounds.bytes_why,
          bounds.source};
}

}  // namespace rankscope
