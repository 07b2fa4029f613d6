// Finds ranks that were lost, or failed with an error of their own.
#include <fmt/format.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/ranges.h"

namespace rankscope::finder {
namespace {

using Kind = Finding::Kind;

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

}  // namespace

void find_lost(const TraceOperations& facts, Report& report) {
  if (!facts.trace.meta().outcome) return;
  const JobResult& result = *facts.trace.meta().outcome;
  // Ranks that are lost after another rank's error were ended because of it, or were slow to stop.
  if (result.failed_rank < 0)
    for (const RankFailure& failure : result.failures) {
      Finding found = lost(facts, {failure.rank});
      found.what = fmt::format("rank {} {}", failure.rank, failure.what);
      if (!failure.where.empty()) found.what += fmt::format("; it was {}", failure.where);
      found.why = "The other ranks need its messages, so nobody could go on.";
      found.advice = "Look at its last events, and run again: the ranks are restarted.";
      report.add(std::move(found));
    }
  if (report.has(Kind::lost_rank) ||
      ranges::any_of(kFindingKinds, [&](auto& row) { return row.fails && report.has(row.kind); }))
    return;  // what they failed of was reported
  // By rank; ranks with the same failure are one finding.
  std::vector<std::pair<std::string, std::vector<Rank>>> of_their_own;
  for (const RankOutcome& outcome : result.ranks) {
    if (outcome.error.empty() || outcome.cause == rankscope::Cause::stopped) continue;
    if (outcome.cause != rankscope::Cause::own && names_rank(outcome.rank, outcome.error)) {
      report.add(failed(facts, {outcome.rank}, outcome.error));
      continue;
    }
    const auto same =
        ranges::find(of_their_own, outcome.error, [](auto& one) { return one.first; });
    if (same != of_their_own.end()) same->second.push_back(outcome.rank);
    else of_their_own.push_back({outcome.error, {outcome.rank}});
  }
  for (const auto& [error, ranks] : of_their_own)
    report.add(failed(facts, ranks, fmt::format("{} failed: {}", rank_list(ranks), error)));
}

}  // namespace rankscope::finder
