// Finds ranks that were lost, or failed with an error of their own.
#include <algorithm>

#include <fmt/format.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/ranges.h"
#include "engine/core/run/platform.h"

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

/// Returns the advice in a platform's own error: the sentences after its first one. Empty without advice, and for other errors.
std::string advice_in(const std::string& error) {
  const auto begin = std::min(
      {error.find(": rankscope."), error.find(": rankscope::Error"), error.find(": mpi4py.")});
  std::string text = begin == std::string::npos ? error : error.substr(begin);
  const auto place = std::min(text.find(" (/"), text.rfind(" ("));  // C++ has brackets in names
  if (place != std::string::npos && text.ends_with(")")) text.resize(place);
  // mpi4py's errors have it behind a semicolon.
  if (const auto give = text.rfind("; give "); give != std::string::npos)
    return "G" + text.substr(give + 3) + ".";
  if (begin == std::string::npos) return {};
  const auto first = text.find(". ");
  if (first == std::string::npos) return {};
  text.erase(0, first + 2);
  if (!text.ends_with('.')) text += '.';
  return text;
}

Finding failed(const TraceOperations& facts, const std::vector<Rank>& ranks, std::string what) {
  Finding found = lost(facts, ranks);
  found.what = std::move(what);
  found.why =
      std::ssize(ranks) == facts.trace.world_size()
          ? "All ranks failed in the same way, so the cause is not one rank or its messages."
          : "A failed rank sends nothing more, so ranks that need its messages could not go on.";
  found.advice = advice_in(found.what);
  // A rank may have noted more than its error's text says.
  if (const auto& handed = facts.trace.meta().handed) {
    auto noted = handed->advice.end();
    for (auto one = handed->advice.begin(); one != handed->advice.end(); ++one)
      if (ranges::find(ranks, one->rank) != ranks.end() &&
          (noted == handed->advice.end() || one->rank < noted->rank))
        noted = one;
    if (noted != handed->advice.end() && noted->lacks) {
      Finding lacking = unsupported(*noted);
      lacking.ranks = found.ranks, lacking.events = found.events;
      return lacking;
    }
    if (noted != handed->advice.end()) {
      if (!noted->advice.empty()) found.advice = noted->advice;
      if (!noted->why.empty()) found.why = noted->why;
    }
  }
  if (found.advice.empty())
    found.advice = fmt::format("Correct the line that raised this error{}.",
                               ranks.size() == 1 ? "" : "; it is the same on these ranks");
  return found;
}

/// Returns an error's text without its numbers, except for those of its place.
std::string without_numbers(const std::string& error) {
  std::string text;
  const auto place = std::min(error.rfind(" ("), error.size());
  for (std::size_t i = 0; i < error.size(); ++i)
    if (i >= place || error[i] < '0' || error[i] > '9') text += error[i];
  return text;
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
      const bool crashed = failure.loss == RankLoss::killed && platform_of(facts.platform).compiled;
      found.advice = crashed
                         ? "If nobody killed it, its memory was overwritten, as past the end of "
                           "an array: run the .cpp file again with --sanitize address."
                         : "Look at its last events, and run again: the ranks are restarted.";
      report.add(std::move(found));
    }
  if (report.has(Kind::lost_rank) ||
      ranges::any_of(kFindingKinds, [&](auto& row) { return row.fails && report.has(row.kind); }))
    return;  // the cause of their failure has been reported
  // By rank; ranks that fail in one line with one error are one finding, whatever numbers its words name.
  struct Failure {
    std::string kind, error;
    std::vector<Rank> same, alike;
  };
  std::vector<Failure> of_their_own;
  for (const RankOutcome& outcome : result.ranks) {
    if (outcome.error.empty() || outcome.cause == rankscope::Cause::stopped) continue;
    if (outcome.cause != rankscope::Cause::own && names_rank(outcome.rank, outcome.error)) {
      report.add(failed(facts, {outcome.rank}, outcome.error));
      continue;
    }
    const std::string kind = without_numbers(outcome.error);
    const auto known = ranges::find_if(of_their_own, [&](auto& one) { return one.kind == kind; });
    if (known == of_their_own.end())
      of_their_own.push_back({kind, outcome.error, {outcome.rank}, {}});
    else (known->error == outcome.error ? known->same : known->alike).push_back(outcome.rank);
  }
  for (auto& [kind, error, same, alike] : of_their_own) {
    const std::string what = fmt::format("{} failed: {}", rank_list(same), error);
    same.insert(same.end(), alike.begin(), alike.end());
    Finding found = failed(facts, same, what);
    if (!alike.empty()) found.what += fmt::format("; so did {}", rank_list(alike));
    report.add(std::move(found));
  }
}

}  // namespace rankscope::finder
