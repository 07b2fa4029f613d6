// Matches a growing run with the same run made before, the plan: which messages were sent, and which each rank sends next.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/analysis/trace_analysis.h"

namespace rankscope {

/// A plan, matched with the growing run.
struct PlanMatch {
  static constexpr std::size_t kNone = ~std::size_t{0};

  TraceAnalysis run;                    ///< The plan: the same job, run to its end.
  std::vector<std::size_t> planned_of;  ///< By message of the growing run: its number in the plan.
  std::vector<std::size_t> made_of;     ///< By message of the plan: its number in the growing run.

  /// Returns the plan's message that a strand sends next; kNone if it has sent all.
  std::size_t next(Rank rank, std::uint16_t strand) const;

  /// The plan's messages, in the order in which each strand sends them.
  std::map<std::pair<Rank, std::uint16_t>, std::vector<std::size_t>> sends;
  std::map<std::pair<Rank, std::uint16_t>, std::size_t>
      sent;  ///< The number of these that were sent.
};

/// Pairs the messages of each strand in program order. Returns null if a rank has sent an unplanned message.
std::shared_ptr<const PlanMatch> match_plan(const TraceAnalysis& plan, const TraceAnalysis& run);

}  // namespace rankscope
