// Ranks that were lost, or failed with an error of their own.
#include <fmt/format.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/fault.h"
#include "engine/core/base/ranges.h"

namespace rankscope::finder {
namespace {

using Kind = Finding::Kind;

std::string text_of(const nlohmann::json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

Finding lost(const TraceOperations& facts, const std::vector<Rank>& ranks) {
  Finding found(Kind::lost_rank);
  found.ranks = ranks;
  for (const Rank rank : ranks) {
    std::uint64_t last = kNoEvent;
    for (std::uint64_t k = facts.trace.size(); k-- > 0 && last == kNoEvent;)
      if (facts.trace[k].rank == rank) last = k;
    found.events.push_back(last);
  }
  if (const std::uint64_t first = found.events.front(); first != kNoEvent)
    found.site = facts.site(first);
  return found;
}

Finding failed(const TraceOperations& facts, const std::vector<Rank>& ranks, std::string what) {
  Finding found = lost(facts, ranks);
  found.what = std::move(what);
  found.why = "A rank that fails sends nothing any more, so the others could not go on.";
  found.advice = ranks.size() == 1 ? "Look at the line that failed, and at the rank's last events."
                                   : "Look at the line that failed: it is the same on these ranks.";
  return found;
}

/// Calls `take` with each object of a list of the result that names a rank.
template <class Take>
void each_rank(const nlohmann::json& result, const char* list, Take take) {
  if (!result.is_object()) return;
  const auto all = result.find(list);
  if (all == result.end() || !all->is_array()) return;
  for (const auto& one : *all)
    if (one.is_object() && one.contains("rank") && one["rank"].is_number_integer())
      take(one, one["rank"].get<Rank>());
}

}  // namespace

void find_lost(const TraceOperations& facts, Report& report) {
  // Ranks that are lost after the error of another one were ended for it, or were slow to stop.
  const bool failed_first = facts.result.is_object() && facts.result.contains("failed_rank");
  if (!failed_first)
    each_rank(facts.result, "failures", [&](const nlohmann::json& failure, Rank rank) {
      Finding found = lost(facts, {rank});
      found.what = fmt::format("rank {} {}", rank, text_of(failure, "what"));
      if (const auto where = text_of(failure, "where"); !where.empty())
        found.what += fmt::format("; it was {}", where);
      found.why = "The other ranks need its messages, so nobody could go on.";
      found.advice = "Look at its last events, and run again: the ranks are restarted.";
      report.add(std::move(found));
    });
  if (report.has(Kind::lost_rank) ||
      ranges::any_of(kFindingKinds, [&](auto& row) { return row.fails && report.has(row.kind); }))
    return;  // what they failed of was reported
  // By rank; ranks that failed of the same are one finding.
  std::vector<std::pair<std::string, std::vector<Rank>>> of_their_own;
  each_rank(facts.result, "ranks", [&](const nlohmann::json& outcome, Rank rank) {
    const std::string error = text_of(outcome, "error");
    const RankFault fault = fault_of(text_of(outcome, "fault"), rank, error);
    if (error.empty() || fault == RankFault::stopped) return;
    const auto same = ranges::find(of_their_own, error, [](auto& one) { return one.first; });
    if (fault == RankFault::own && same != of_their_own.end()) same->second.push_back(rank);
    else if (fault == RankFault::own) of_their_own.push_back({error, {rank}});
    else report.add(failed(facts, {rank}, error));
  });
  for (const auto& [error, ranks] : of_their_own)
    report.add(failed(facts, ranks, fmt::format("{} failed: {}", rank_list(ranks), error)));
}

}  // namespace rankscope::finder
