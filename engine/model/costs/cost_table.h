// The closed forms of what each algorithm costs, as functions and as a person writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/collectives/algorithm.h"
#include "engine/model/costs/cost.h"
#include "engine/model/costs/message_times.h"

namespace rankscope {

/// The network of all forms: full-duplex, no link is shared, each rank has one port in and one out. A message occupies
/// both for alpha + bytes * beta and has then arrived; a send is over at once; reducing takes gamma for each byte; all
/// else costs nothing (message_times.h has it as a recurrence).
///
/// Where a written formula holds, on two ranks or more.
struct FormulaHolds {
  bool equal_parts = false;      ///< Chunks (blocks, segments, buckets) of equal length.
  bool power_of_two = false;     ///< Ranks (of a group, and groups).
  bool power_of_radix = false;   ///< Ranks.
  bool segmented = false;        ///< K >= 2.
  bool free_reductions = false;  ///< gamma is 0.
  bool fast_reductions = false;  ///< Reducing a part takes at most as long as sending it.
};
/// "equal parts, N a power of two"; empty where it always holds.
std::string to_text(const FormulaHolds& holds);

struct CostRow {
  std::string_view algorithm;  ///< Its name.
  /// In N, n (bytes that a rank passes in), α, β, γ; K (segments or buckets), g (ranks of a group), k (the radix) and A
  /// (blocks in a message) where there are any.
  std::string_view formula;
  FormulaHolds holds;
  /// For every network; none where the times of messages need the recurrence.
  std::optional<Cost> (*closed)(const ClosedFormInput& in);
  /// K; null: the formula has none.
  int (*segments)(const ClosedFormInput& in) = nullptr;
  /// A: blocks in a message; null: the formula has none.
  int (*blocks)(const ClosedFormInput& in) = nullptr;
  /// The messages of an algorithm that cannot be recorded; null for all others.
  VerbSchedule (*plan)(const ClosedFormInput& in) = nullptr;
};

/// One for each built-in algorithm; null for others (a schedule, a student's).
const CostRow* find_cost_row(const Algorithm& algorithm) noexcept;

/// The finish time of the slowest rank, if all begin at 0: exact for uneven parts and every root. A sum, or a
/// maximum of a few terms, holds for every network; a recurrence gives the term that counts on `link`.
/// Throws UserError for an algorithm without a form, and where the recurrence would have more than kMostPlanned
/// messages.
Cost cost_of(const Algorithm& algorithm, const ClosedFormInput& in, const LinkCosts& link);
inline constexpr std::int64_t kMostPlanned = 4'000'000;

/// The cost of allreduce.in_network on a network whose switches add, in `levels` above the ranks, where all links are alike and alpha
/// is that of one link: (K + 2 levels - 1)(alpha + n/K beta), a pipeline up and down. Its row in the table is of networks where
/// none can, and rank 0 adds.
Cost in_network_cost(const ClosedFormInput& in, int levels);

/// The ranks of a group, which the formula calls g; N for an algorithm without groups.
int group_in_formula(const Algorithm& algorithm, const ClosedFormInput& in);
/// The radix k in the formula; N for an algorithm without one.
int radix_in_formula(const Algorithm& algorithm, const ClosedFormInput& in);

}  // namespace rankscope
