// Computes algorithm and bus bandwidth, and the assignment's own accounting.
#include "engine/model/bandwidth.h"

#include "engine/core/base/partition.h"

namespace rankscope {

double bus_factor(std::string_view collective, int n) noexcept {
  const auto* found = find_collective(collective);
  return found == nullptr ? 1 : found->bus.times(n, 1);
}

double algorithm_bandwidth(double bytes, double seconds) noexcept {
  return seconds > 0 ? bytes / seconds : 0;
}

double bus_bandwidth(std::string_view collective, int n, double bytes, double seconds) noexcept {
  return algorithm_bandwidth(bytes, seconds) * bus_factor(collective, n);
}

double assignment_bytes(std::string_view collective, int n, double bytes) noexcept {
  const auto* const row = find_collective(collective);
  const bool counts_traffic = row != nullptr && row->collective == Collective::allreduce;
  return counts_traffic ? row->bus.times(n, bytes) : bytes;
}

double assignment_bandwidth(std::string_view collective, int n, double bytes,
                            double seconds) noexcept {
  return algorithm_bandwidth(assignment_bytes(collective, n, bytes), seconds) / kAssignmentMegabyte;
}

LowerBounds lower_bounds(Collective collective, int n, double bytes) noexcept {
  if (n <= 1) return {};
  const CollectiveBounds& bounds = traits(collective).bounds;
  // Chan, Heimlich, Purkayastha, van de Geijn 2007, section 3, "computation": (N-1) D in all, divided among N.
  const bool reduces = traits(collective).reduces;
  return {bounds.rounds == CollectiveBounds::kLog ? ceil_log2(n) : bounds.rounds,
          bounds.sent.times(n, bytes),
          bounds.received.times(n, bytes),
          reduces ? bytes * (n - 1) / n : 0,
          bounds.rounds_why,
          bounds.bytes_why,
          bounds.source};
}

}  // namespace rankscope
