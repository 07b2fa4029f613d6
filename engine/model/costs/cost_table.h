// The closed forms of what each algorithm costs, as functions and as a person writes them.
//
// All forms are of one network: full-duplex, no link is shared, each rank has one port in and one out. A message
// occupies both for alpha + bytes * beta and has then arrived; a send is over at once; reducing takes gamma for each
// byte; all else costs nothing (message_times.h has it as a recurrence).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/collectives/algorithm.h"
#include "engine/collectives/pipeline.h"
#include "engine/core/base/partition.h"
#include "engine/model/costs/cost.h"
#include "engine/model/costs/message_times.h"

namespace rankscope {

/// The conditions under which a written formula holds, on two ranks or more.
struct FormulaHolds {
  bool equal_parts = false;      ///< Chunks (blocks, segments, buckets) of equal length.
  bool power_of_two = false;     ///< Ranks (of a group, and groups).
  bool power_of_radix = false;   ///< Ranks.
  bool segmented = false;        ///< K >= 2.
  bool free_reductions = false;  ///< gamma is 0.
  bool fast_reductions = false;  ///< Reducing a part takes at most as long as sending it.
};
/// Returns "equal parts, powers of two"; empty if the formula always holds.
std::string to_text(const FormulaHolds& holds);

struct CostRow {
  std::string_view algorithm;  ///< Its name.
  /// In N, n (bytes that a rank passes in), α, β, γ; K (segments or buckets), g (ranks of a group), k (the radix) and A
  /// (blocks in a message) if it has them.
  std::string_view formula;
  FormulaHolds holds;
  /// Returns the cost on every link; nullopt if only the recurrence gives it.
  std::optional<Cost> (*closed)(const ClosedFormInput& in);
  /// Returns K; null: the formula has none.
  int (*segments)(const ClosedFormInput& in) = nullptr;
  /// Returns A, the blocks in a message; null: the formula has none.
  int (*blocks)(const ClosedFormInput& in) = nullptr;
  /// Returns the messages of an algorithm that cannot be recorded; null for all others.
  VerbSchedule (*plan)(const ClosedFormInput& in) = nullptr;
};

/// Returns the row of a built-in algorithm; null for others (a schedule, a student's).
const CostRow* find_cost_row(const Algorithm& algorithm) noexcept;

/// Returns the finish time of the slowest rank if all begin at 0: exact for uneven parts and every root. A sum, or a
/// maximum of several terms, holds on every link; the recurrence gives the largest term on `link`. Throws UserError for
/// an algorithm without a form, and if the recurrence would have more than kMostPlanned messages.
Cost cost_of(const Algorithm& algorithm, const ClosedFormInput& in, const LinkCosts& link);
inline constexpr std::int64_t kMostPlanned = 4'000'000;

/// A buffer in equal parts, or in parts that differ by one element.
class ByteParts {
 public:
  ByteParts(const Partition& part, std::int64_t element) : part_(part), element_(element) {}

  int parts() const noexcept { return part_.parts(); }
  std::int64_t all() const noexcept { return part_.count() * element_; }
  std::int64_t longest() const noexcept { return part_.longest() * element_; }
  std::int64_t operator[](int i) const noexcept { return part_[i].count * element_; }
  std::int64_t span(int first, int last) const noexcept {
    return part_.span(first, last).count * element_;
  }
  bool equal() const noexcept { return part_.count() % part_.parts() == 0; }

 private:
  Partition part_;
  std::int64_t element_;  ///< Bytes.
};

inline std::int64_t element_bytes(const ClosedFormInput& in) noexcept {
  return static_cast<std::int64_t>(dtype_size(in.dtype));
}
/// Returns the bytes that one rank passes in (in a scatter, the root).
inline std::int64_t input_bytes(const ClosedFormInput& in) noexcept {
  return in.shape.count() * element_bytes(in);
}
inline ByteParts chunk_bytes(const ClosedFormInput& in) {
  return {Partition(in.shape.count(), in.n), element_bytes(in)};
}
/// Returns the blocks that a rank sends in an all-to-all.
inline ByteParts block_bytes(const ClosedFormInput& in) {
  return {Partition(in.shape[in.scatter_dim], in.n),
          in.shape.outer(in.scatter_dim) * in.shape.inner(in.scatter_dim) * element_bytes(in)};
}
/// Cuts `count` elements into segments, as pipelines do.
inline Partition cost_segments(const ClosedFormInput& in, Count count, std::uint64_t by_default) {
  return segments(count, in.dtype, or_default(in.segment_bytes, by_default));
}

}  // namespace rankscope
