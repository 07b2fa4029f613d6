// Finds where two algorithms take equally long, over size, ranks, latency or bandwidth.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/collectives/algorithm.h"
#include "engine/model/costs/cost.h"

namespace rankscope {

/// A call of all ranks on a network.
struct CostSetting {
  ClosedFormInput in;
  LinkCosts link;
};

enum class CostAxis : std::uint8_t { bytes, ranks, alpha, bandwidth };

/// Returns the setting with another value: bytes that a rank passes in (whole elements, one dimension), ranks, seconds,
/// or bytes per second.
CostSetting with_value(CostSetting setting, CostAxis axis, double value);

/// Returns values from `from` to `to`, both included, `per_doubling` for each factor of two; whole elements or ranks on
/// an axis of bytes or ranks. Throws UserError for an empty range or one that the axis does not have.
std::vector<double> axis_values(const CostSetting& setting, CostAxis axis, double from, double to,
                                int per_doubling = 1);

/// Seconds: rounds * alpha + n * (bytes * beta + reduced * gamma) for n bytes in equal parts.
struct LinearCost {
  double rounds = 0, bytes = 0, reduced = 0;
};
/// Sets `out` to the cost for any size with equal parts. Returns false if the cost is not a sum of terms linear in n: a
/// maximum of terms, a recurrence, or segments of a given length.
bool linear_in_bytes(const Algorithm& algorithm, const CostSetting& setting, LinearCost& out);

struct Crossover {
  double at = 0;  ///< Where both take equally long; for ranks, the first number after it.
  bool first_before = true;  ///< The first algorithm is the faster one below `at`.
  bool exact =
      false;  ///< Solved; otherwise found between two sizes (in unequal parts, times jump).
};

/// Returns the crossovers between `from` and `to`. They are solved for if both costs are linear on the axis (over
/// bytes: for equal parts); otherwise bisection finds each change of sign between two axis_values(). `stopped`, which
/// may be empty, ends the search early. Throws what cost_of() throws.
std::vector<Crossover> crossovers(const Algorithm& first, const Algorithm& second,
                                  const CostSetting& setting, CostAxis axis, double from, double to,
                                  const std::function<bool()>& stopped = {});

/// Between `from` and `to`, `algorithm` is the fastest.
struct FastestRange {
  std::size_t algorithm = 0;  ///< Index.
  double from = 0, to = 0;
};
/// Returns the fastest algorithms along an axis. `values` ascend, and at most one change is looked for between two of
/// them. `times` has the seconds of each algorithm at each value. Throws what cost_of() throws.
std::vector<FastestRange> fastest_ranges(std::span<const Algorithm* const> algorithms,
                                         const CostSetting& setting, CostAxis axis,
                                         std::span<const double> values,
                                         std::span<const std::vector<double>> times);

/// Lower bounds on a collective's time (model/bandwidth.h), in seconds.
struct BoundTimes {
  double latency = 0;    ///< Rounds, each with a latency.
  double bandwidth = 0;  ///< The busiest port: one latency, and its bytes.
  double computing = 0;  ///< The busiest rank's reductions.
  double largest() const noexcept;
};
BoundTimes bound_times(Collective collective, const CostSetting& setting);

}  // namespace rankscope
