// Reads the findings of a run for what its stage ends with.
#include "engine/diagrams/stage/stage_trouble.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "engine/diagrams/run/stuck_ranks.h"

namespace rankscope {
namespace {

StageTrouble::Wait wait_of(const BlockedVerb& verb, bool root) {
  StageTrouble::Wait wait;
  wait.rank = verb.rank;
  wait.on = verb.on;
  wait.sends = verb.send;
  wait.root = root;
  const std::string on = verb.on < 0 ? "anybody" : fmt::format("rank {}", verb.on);
  wait.what = fmt::format("{} {}", verb.send ? "send to" : "receive from", on);
  wait.brief =
      verb.on < 0 ? "receive" : fmt::format("{} → {}", verb.send ? "send" : "recv", verb.on);
  wait.why = verb.in_call ? fmt::format("waits for {} in a call", on)
                          : fmt::format("waits for {} to {}", on, verb.send ? "receive" : "send");
  wait.size = verb.send && verb.bytes > 0 ? amount_text(verb.bytes) + ", waits" : "waits";
  if (verb.line > 0) wait.line = fmt::format("line {}", verb.line);
  return wait;
}

/// "0 → 1 → 0"; of a group without a circle "rank 0 waits for rank 1, which has ended".
std::string group_text(const BlockedGroup& group, const std::vector<bool>& ended) {
  if (group.circle) {
    Finding circle;
    for (const BlockedVerb& verb : group.roots) circle.ranks.push_back(verb.rank);
    return cycle_text(circle);
  }
  const BlockedVerb& first = group.roots.front();
  if (first.on < 0) return fmt::format("rank {} waits for anybody", first.rank);
  const bool gone = ended.at(static_cast<std::size_t>(first.on));
  return fmt::format("rank {} waits for rank {}{}", first.rank, first.on,
                     gone ? ", which has ended" : "");
}

// Where the first one stands, and the line at which the one that it waits for would free it.
void add_lines(const BlockedGroup& group, StageTrouble& trouble) {
  const BlockedVerb& first = group.roots.front();
  if (first.code.empty()) return;
  trouble.lines.push_back(
      fmt::format("rank {} is at line {}: {}", first.rank, first.line, printable(first.code)));
  const BlockedVerb& next = group.roots[group.roots.size() > 1 ? 1 : 0];
  if (group.by_order && next.next_line > 0)
    trouble.lines.push_back(fmt::format("rank {} would free it at line {}: {}", next.rank,
                                        next.next_line, printable(next.next_code)));
}

void add_waits(const std::vector<BlockedVerb>& verbs, bool roots, StageTrouble& trouble) {
  for (const BlockedVerb& verb : verbs)
    if (trouble.of(verb.rank) == nullptr) trouble.waits.push_back(wait_of(verb, roots));
}

void add_deadlock(const TraceAnalysis& analysis, const BlockedRanks& blocked,
                  StageTrouble& trouble) {
  std::vector<std::string> names, reasons;
  for (const BlockedGroup& group : blocked.groups) {
    add_waits(group.roots, true, trouble);
    names.push_back(group_text(group, blocked.ended));
    if (ranges::find(reasons, group.why) == reasons.end()) reasons.push_back(group.why);
    if (trouble.brief.empty()) trouble.brief = group.brief;
    else if (trouble.brief != group.brief)
      trouble.brief = fmt::format("{} deadlocks", names.size());
  }
  for (const BlockedGroup& group : blocked.groups) add_waits(group.followers, false, trouble);
  if (names.empty()) return;
  for (std::size_t rank = 0; rank < blocked.ended.size(); ++rank)
    if (blocked.ended[rank]) trouble.ended.push_back(static_cast<Rank>(rank));
  trouble.headline = fmt::format("Deadlock: {}", fmt::join(names, " and "));
  trouble.why = fmt::format("{}", fmt::join(reasons, " "));
  // Calls that do not agree are why their messages wait.
  for (const Finding& found : analysis.findings())
    if (found.kind == Finding::Kind::mismatched_call) {
      trouble.why = found.what + ". " + found.why;
      trouble.brief = "the calls do not agree";
      return;
    }
  add_lines(blocked.groups.front(), trouble);
}

void add_wrong(const TraceAnalysis& analysis, StageTrouble& trouble) {
  trouble.wrong = meant::wrong_results(analysis);
  trouble.story = meant::find_wrong_value(analysis);
  if (!trouble.story) return;
  trouble.headline = trouble.story->what;
  trouble.why = trouble.story->why;
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace

const meant::WrongResult* StageTrouble::wrong_at(Rank rank) const noexcept {
  const auto found = ranges::find(wrong, rank, &meant::WrongResult::rank);
  return found == wrong.end() ? nullptr : &*found;
}
const StageTrouble::Wait* StageTrouble::of(Rank rank) const noexcept {
  const auto found = ranges::find(waits, rank, &Wait::rank);
  return found == waits.end() ? nullptr : &*found;
}
bool StageTrouble::is_lost(Rank rank) const noexcept {
  return ranges::find(lost, rank) != lost.end();
}
bool StageTrouble::has_ended(Rank rank) const noexcept {
  return ranges::find(ended, rank) != ended.end();
}

StageTrouble stage_trouble(const TraceAnalysis& analysis) {
  StageTrouble trouble;
  const StuckRanks stuck = stuck_ranks(analysis);
  trouble.lost = stuck.lost;
  if (!stuck.lost.empty()) {
    trouble.headline = fmt::format("Lost: {}", rank_list(stuck.lost));
    trouble.why = fmt::format("{}. {}", capital(stuck.lost_what), stuck.lost_why);
  } else {
    add_deadlock(analysis, stuck.blocked, trouble);
  }
  if (trouble.headline.empty()) add_wrong(analysis, trouble);
  return trouble;
}

}  // namespace rankscope
