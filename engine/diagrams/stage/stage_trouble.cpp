// Collects a run's faults for the stage, and finds paths for the arrows between ranks that wait.
#include "engine/diagrams/stage/stage_trouble.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/run/run_outcome.h"

namespace rankscope {
namespace {

StageTrouble::Wait wait_of(const BlockedVerb& verb, bool root) {
  StageTrouble::Wait wait;
  wait.rank = verb.rank;
  wait.on = verb.on;
  wait.sends = verb.send;
  wait.root = root;
  const std::string on = verb.on < 0 ? "any rank" : fmt::format("rank {}", verb.on);
  wait.what = fmt::format("{} {}", verb.send ? "send to" : "receive from", on);
  wait.brief =
      verb.on < 0 ? "receive" : fmt::format("{} → {}", verb.send ? "send" : "recv", verb.on);
  wait.why = verb.in_call ? fmt::format("waits for {} in a call", on)
                          : fmt::format("waits for {} to {}", on, verb.send ? "receive" : "send");
  wait.size = verb.send && verb.bytes > 0 ? amount_text(verb.bytes) + ", waits" : "waits";
  if (verb.line > 0) wait.line = fmt::format("line {}", verb.line);
  return wait;
}

/// Returns "0 → 1 → 0" for a cycle, else "rank 0 waits for rank 1, which has ended".
std::string group_text(const BlockedGroup& group, const std::vector<bool>& ended) {
  if (group.circle) {
    Finding circle;
    for (const BlockedVerb& verb : group.roots) circle.ranks.push_back(verb.rank);
    return cycle_text(circle);
  }
  const BlockedVerb& first = group.roots.front();
  if (first.on < 0) return fmt::format("rank {} waits for any rank", first.rank);
  const bool gone = ended.at(static_cast<std::size_t>(first.on));
  return fmt::format("rank {} waits for rank {}{}", first.rank, first.on,
                     gone ? ", which has ended" : "");
}

// Adds the line of the first blocked rank, and the line at which the rank it waits for would free it.
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
  // If calls do not agree, that is why their messages wait.
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
  const auto& outcome = analysis.trace().meta().outcome;
  trouble.broke_off = outcome && outcome->status == JobResult::Status::failed;
  const StuckRanks stuck = stuck_ranks(analysis);
  trouble.lost = stuck.lost;
  if (!stuck.lost.empty()) {
    trouble.headline = fmt::format("Lost: {}", rank_list(stuck.lost));
    trouble.why = fmt::format("{}. {}", capitalized(stuck.lost_what), stuck.lost_why);
  } else {
    add_deadlock(analysis, stuck.blocked, trouble);
  }
  if (trouble.headline.empty()) add_wrong(analysis, trouble);
  return trouble;
}

// ---- Arrows -------------------------------------------------------------------------------------

namespace {

constexpr double kApart = 12;  // between arrows that leave and arrive at one place

void move(Point& point, Point by) {
  point.x += by.x;
  point.y += by.y;
}

/// Returns a step along the edge of a card at this point, towards `there`.
Point along_edge(Point edge, Point dock, Point there) {
  const bool upright = std::abs(dock.x - edge.x) > std::abs(dock.y - edge.y);
  const double way = upright ? there.y - edge.y : there.x - edge.x;
  const double by = way >= 0 ? kApart : -kApart;
  return upright ? Point{0, by} : Point{by, 0};
}

/// Returns a path between two nodes without cards; nothing if they are too close for an arrow.
std::optional<StagePath> straight(const StageLayout& layout, const StageTrouble::Wait& wait) {
  constexpr double kLeastSeen = 6, kClear = 2;
  const Box &from = layout.cards[static_cast<std::size_t>(wait.rank)],
            &to = layout.cards[static_cast<std::size_t>(wait.on)];
  const Point a = from.center(), b = to.center();
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  const double first = from.width / 2 + kClear, last = length - to.width / 2 - kClear;
  if (last - first < kLeastSeen) return std::nullopt;
  const auto at = [&](double along) {
    return Point{a.x + (b.x - a.x) * along / length, a.y + (b.y - a.y) * along / length};
  };
  StagePath path;
  path.leaves = at(first);
  path.arrives = at(last);
  path.curve = {path.leaves, at(first + (last - first) / 3), at(last - (last - first) / 3),
                path.arrives};
  return path;
}

/// Moves apart arrows that leave and enter a card at one place, each towards its other end.
void part(std::vector<StageWaitArrow>& arrows) {
  const auto parted = arrows;
  for (std::size_t i = 0; i < parted.size(); ++i)
    for (std::size_t j = 0; j < parted.size(); ++j) {
      const StagePath &from = parted[i].path, &to = parted[j].path;
      if (i == j || std::hypot(from.leaves.x - to.arrives.x, from.leaves.y - to.arrives.y) > kApart)
        continue;
      const Point out = along_edge(from.leaves, from.curve[0], from.arrives);
      const Point in = along_edge(to.arrives, to.curve[3], to.leaves);
      if (out == in) continue;  // their other ends are on one side: both would move alike
      StagePath &left = arrows[i].path, &right = arrows[j].path;
      for (Point* point : {&left.leaves, &left.curve[0], &left.curve[1]}) move(*point, out);
      for (Point* point : {&right.arrives, &right.curve[3], &right.curve[2]}) move(*point, in);
    }
}

bool has_words(const StageStyle& style) { return style.words || style.counts; }

double scale_of(const StageStyle& style) { return std::min(style.scale, 1.3); }

Font font_of(const StageStyle& style) {
  return {kCaptionStrong.size * scale_of(style), kCaptionStrong.weight, false};
}

Box pill_of(const StageTrouble::Wait& wait, const StageStyle& style, const Ruler& ruler) {
  if (!has_words(style)) return {0, 0, 12, 12};
  const double scale = scale_of(style);
  return {0, 0, ruler.width(wait.size, font_of(style)) + 16 * scale, 22 * scale};
}

}  // namespace

std::vector<StageWaitArrow> wait_arrows(const StageLayout& layout, const StageTrouble& trouble,
                                        const Ruler& ruler) {
  std::vector<StageWaitArrow> arrows;
  for (const auto& wait : trouble.waits) {
    if (wait.on < 0 || wait.on == wait.rank) continue;
    if (layout.style.dot) {
      if (const auto path = straight(layout, wait)) arrows.push_back({wait, *path});
      continue;
    }
    const auto* back = trouble.of(wait.on);
    const bool both = back != nullptr && back->on == wait.rank;
    const Box pill = pill_of(wait, layout.style, ruler);
    arrows.push_back(
        {wait, stage_paths(layout, wait.rank, wait.on, pill.width, pill.height, both).front()});
  }
  if (!layout.style.dot) part(arrows);
  return arrows;
}

void draw_waits(Drawing& pen, const std::vector<StageWaitArrow>& arrows, const StageStyle& style) {
  std::vector<Box> taken;
  for (const auto& [wait, path] : arrows) {
    pen.new_group(Group{fmt::format("wait-{}-{}", wait.rank, wait.on),
                        fmt::format("rank {}: {}\n{}", wait.rank, wait.what, wait.why)});
    const Ink ink{wait.root ? Tone::error : Tone::muted};
    Mark& line = pen.path(path.line(), ink, wait.root && style.numbered ? 2.2 : 1.4);
    line.dotted = line.arrow = true;
    if (!has_words(style) || path.cost >= 1 || !wait.root) continue;
    const Box pill = pill_of(wait, style, pen.ruler());
    const Box box = Box::around(point_along(path.curve, 0.5), pill.width, pill.height);
    if (ranges::any_of(taken, [&](const Box& other) { return other.overlaps(box); })) continue;
    taken.push_back(box);
    pen.box(box, Ink{Tone::page}, Ink{Tone::error}, 6, 1.5);
    pen.level(wait.size, box.center(), font_of(style), {Tone::error});
  }
  pen.group(-1);
}

}  // namespace rankscope
