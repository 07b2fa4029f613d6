// Draws two runs of a comparison on a common time axis and marks where they diverge.
#include "engine/diagrams/spacetime/comparison.h"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/events/rounds.h"
#include "engine/analysis/statistics.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/run/run_difference.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr double kRow = 26, kPadding = 16;
/// In a pane, in pixels: the gap between the runs, the names above them, and the least that a diagram needs.
constexpr double kPaneGap = 24, kPaneHead = 24, kLeastDiagram = 160, kRoomForTable = 420;
constexpr double kAroundLanes = 110, kLeastLane = 6;

/// Returns a run's name with its network, which may be all that differs.
std::string name_of(const TraceAnalysis* run) {
  const TraceMeta& meta = run->trace().meta();
  const std::string network = network_title(meta);
  return network.empty() ? run_name(meta) : fmt::format("{} on {}", run_name(meta), network);
}

/// Returns a lane's box, which shows the time axis; empty for an overview, which has none.
Box lane_of(const Scene& scene) {
  for (const Mark& mark : scene.marks)
    if (mark.kind == Mark::Kind::box && mark.fill && mark.fill->tone == Tone::lane &&
        mark.group < 0)
      return mark.box;
  return {};
}

class Comparison {
 public:
  Comparison(const TraceAnalysis& a, const TraceAnalysis& b, const ComparisonOptions& options,
             const Ruler& ruler)
      : runs_{&a, &b},
        options_(options),
        divergence_(find_divergence(a, b, options.edit ? Compared::messages : Compared::steps)),
        pen_(scene_, ruler) {}

  Scene draw() {
    Scene first = diagram(0, 0, 0), second = diagram(1, 0, 0);
    const double until = std::max(first.clock_end, second.clock_end);
    // Overviews of large runs have no lanes: they stay as they are.
    const bool one_scale = !lane_of(first).empty() && !lane_of(second).empty();
    if (one_scale) {
      first = diagram(0, until, 0);
      second = diagram(1, until, 0);
      const double length = std::max(extent(lane_of(first)), extent(lane_of(second)));
      first = diagram(0, until, length + around(0, until, first));
      second = diagram(1, until, length + around(1, until, second));
    }
    mark(first, divergence_.a, 0);
    mark(second, divergence_.b, 1);
    put(first, second);
    figures();
    scene_.clock_end = until;
    Caption words;
    words.title =
        options_.title.value_or(fmt::format("{} and {}", name_of(runs_[0]), name_of(runs_[1])));
    const bool in_rounds = options_.clock == SpacetimeOptions::Clock::rounds;
    words.subtitle.push_back(!one_scale  ? "large runs, merged; each has a scale of its own"
                             : in_rounds ? "one clock: rounds"
                                         : "one clock: measured time");
    return captioned(std::move(scene_), words, pen_.ruler());
  }

  Scene pane(double width, double height) {
    const bool table = height >= kRoomForTable;
    const double below = table ? 5 * kRow + 56 : 72;
    const double high = std::max(height - kPaneHead - below, kLeastDiagram);
    const auto scenes = side_by_side((width - kPaneGap) / 2, high, table);
    const auto heads = heads_of_panes();
    double x = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string& name = heads[i];
      pen_.level(pen_.ruler().fitted(name, kBodyStrong, scenes[i].width - 28), {x + 14, 12},
                 kBodyStrong, {Tone::text}, Anchor::start);
      place(scenes[i], {x, kPaneHead}, scene_, i == 0 ? "a-" : "b-");
      auto& axis = i == 0 ? scene_.clock_axis : scene_.second_axis;
      axis = scenes[i].clock_axis;
      if (axis)
        for (auto& knot : axis->knots) knot.at = {knot.at.x + x, knot.at.y + kPaneHead};
      x += scenes[i].width + kPaneGap;
    }
    scene_.clock_end = std::max(scenes[0].clock_end, scenes[1].clock_end);
    scene_.width = width;
    if (table && options_.verdict) figures();
    else if (options_.verdict) difference({14, scene_.height + 20}, width - 28);
    scene_.width = width;
    scene_.height = std::max(height, kPaneHead + high + below);
    return std::move(scene_);
  }

 private:
  /// Returns the runs' names; two equal ones get what differs in front.
  std::array<std::string, 2> heads_of_panes() const {
    std::array<std::string, 2> heads;
    for (std::size_t i = 0; i < 2; ++i)
      heads[i] =
          fmt::format("{} · {}", name_of(runs_[i]),
                      counted(static_cast<std::uint64_t>(runs_[i]->trace().world_size()), "rank"));
    const std::size_t now = options_.edit || options_.older ? 0 : 1, before = 1 - now;
    if (options_.edit) {
      heads[now].insert(0, "now · ");
      heads[before].insert(0, "before · ");
    } else if (heads[0] == heads[1]) {
      const auto changes = changes_of(runs_[before]->trace().meta(), runs_[now]->trace().meta());
      if (changes.empty()) return heads;
      heads[now] = fmt::format("{} · {}", fmt::join(changes, ", "), name_of(runs_[now]));
      heads[before] = "before · " + name_of(runs_[before]);
    }
    return heads;
  }

  // Both have one height and, on a shared clock, axes of one length.
  std::array<Scene, 2> side_by_side(double half, double high, bool foot) const {
    const auto draw = [&](std::size_t which, double until, double wide) {
      SpacetimeOptions options;
      options.clock = options_.clock;
      options.labels = labels_for(half, high);
      options.heading = options.legend = false;
      options.foot = foot;
      options.until = until;
      options.width = wide;
      options.height = high;
      // Many ranks in a low pane get its smaller lanes: a comparison is never refused.
      options.may_grow = high < kAroundLanes + kLeastLane * runs_[which]->trace().world_size();
      return spacetime(*runs_[which], options, pen_.ruler());
    };
    std::array<Scene, 2> scenes{draw(0, 0, half), draw(1, 0, half)};
    const double first = scenes[0].clock_end, second = scenes[1].clock_end;
    if (!options_.separate) {
      const double until = std::max(first, second);
      scenes = {draw(0, until, half), draw(1, until, half)};
      if (scenes[0].clock_axis && scenes[1].clock_axis) {
        const double more = length_of(*scenes[1].clock_axis) - length_of(*scenes[0].clock_axis);
        scenes = {draw(0, until, half + more / 2), draw(1, until, half - more / 2)};
      }
    } else if (second > 0) {
      for (Group& group : scenes[1].groups) {
        group.begin *= first / second;
        group.end *= first / second;
      }
    }
    if (!options_.verdict) return scenes;
    mark(scenes[0], divergence_.a, 0);
    mark(scenes[1], divergence_.b, 1);
    return scenes;
  }
  // Leaves out labels that would hide their arrows; colours and stories remain.
  SpacetimeOptions::Labels labels_for(double half, double high) const {
    constexpr double kLane = 32, kStep = 48, kAroundSteps = 110;
    int ranks = 1, steps = 1;
    for (const TraceAnalysis* run : runs_) {
      ranks = std::max(ranks, run->trace().world_size());
      if (options_.clock == SpacetimeOptions::Clock::rounds)
        steps = std::max(steps, run->statistics().rounds);
    }
    const bool room =
        high - kAroundLanes >= kLane * (ranks - 1) && half - kAroundSteps >= kStep * steps;
    return room ? options_.labels : SpacetimeOptions::Labels::none;
  }
  static double length_of(const ClockAxis& axis) {
    return axis.knots.back().at.x - axis.knots.front().at.x;
  }

  double extent(const Box& lane) const { return options_.portrait ? lane.height : lane.width; }

  // Returns how much longer a page is than its lanes. Draws on a page of given size, which is not rounded.
  double around(std::size_t which, double until, const Scene& natural) const {
    const double page = options_.portrait ? natural.height : natural.width;
    return page - extent(lane_of(diagram(which, until, page)));
  }

  Scene diagram(std::size_t which, double until, double page) const {
    SpacetimeOptions options;
    options.clock = options_.clock;
    options.labels = options_.labels;
    options.portrait = options_.portrait;
    options.legend = which == 1;
    options.until = until;
    (options.portrait ? options.height : options.width) = page;
    return spacetime(*runs_[which], options, pen_.ruler());
  }

  // A ring around the end of the arrow that is not like the other run's.
  void mark(Scene& scene, std::optional<std::size_t> message, std::size_t which) const {
    if (!message) return;
    const std::string id = fmt::format("m{}", *message);
    const auto group = ranges::find(scene.groups, id, &Group::id);
    if (group == scene.groups.end()) return;
    const auto index = static_cast<std::int32_t>(group - scene.groups.begin());
    const auto arrow = ranges::find_if(scene.marks, [&](const Mark& mark) {
      return mark.group == index && mark.kind == Mark::Kind::path && mark.arrow;
    });
    if (arrow == scene.marks.end()) return;
    const Point at = arrow->points.front();
    Drawing pen(scene, pen_.ruler());
    pen.new_group(
        Group{"first-difference", fmt::format("first difference, in the {} run\n{}",
                                              which == 0 ? "first" : "second", divergence_.text)});
    pen.circle(at, 8, {}, Ink{Tone::text}).line_width = 3;
  }

  void put(const Scene& first, const Scene& second) {
    const Box a = lane_of(first), b = lane_of(second);
    if (options_.portrait) {
      const double shift = a.y - b.y;
      place(first, {0, std::max(-shift, 0.0)}, scene_, "a-");
      place(second, {first.width + 8, std::max(shift, 0.0)}, scene_, "b-");
    } else {
      const double shift = a.x - b.x;
      place(first, {std::max(-shift, 0.0), 0}, scene_, "a-");
      place(second, {std::max(shift, 0.0), first.height + 8}, scene_, "b-");
    }
  }

  struct Row {
    std::string what, a, b;
  };
  std::vector<Row> rows() const {
    const Statistics &a = runs_[0]->statistics(), &b = runs_[1]->statistics();
    const auto busiest = [](const Statistics& of) {
      std::uint64_t most = 0;
      for (const auto& rank : of.ranks) most = std::max(most, rank.sent.bytes);
      return amount_text(most);
    };
    return {{"rounds", fmt::format("{}", a.rounds), fmt::format("{}", b.rounds)},
            {"messages", grouped(a.total.messages), grouped(b.total.messages)},
            {"bytes sent in all", amount_text(a.total.bytes), amount_text(b.total.bytes)},
            {"bytes sent by the rank that sends most", busiest(a), busiest(b)},
            {"time", time_text(a.duration_ns), time_text(b.duration_ns)}};
  }

  // A small table below the diagrams, and beside it the first difference.
  void figures() {
    const auto& ruler = pen_.ruler();
    const auto list = rows();
    std::array<std::string, 2> names{name_of(runs_[0]), name_of(runs_[1])};
    if (options_.edit) names = {"now", "before"};
    double what = 0;
    std::array<double, 2> width{ruler.width(names[0], kBodyStrong),
                                ruler.width(names[1], kBodyStrong)};
    for (const Row& row : list) {
      what = std::max(what, ruler.width(row.what, kBody));
      width[0] = std::max(width[0], ruler.width(row.a, kFigures));
      width[1] = std::max(width[1], ruler.width(row.b, kFigures));
    }
    const double left = 32, first = left + what + 24 + width[0], second = first + 32 + width[1];
    double y = scene_.height + 24;
    pen_.level(names[0], {first, y}, kBodyStrong, {Tone::text}, Anchor::end);
    pen_.level(names[1], {second, y}, kBodyStrong, {Tone::text}, Anchor::end);
    pen_.line({left, y + 14}, {second, y + 14}, {Tone::grid});
    for (const Row& row : list) {
      y += kRow;
      pen_.level(row.what, {left, y}, kBody, {Tone::muted}, Anchor::start);
      pen_.level(row.a, {first, y}, kFigures, {Tone::text}, Anchor::end);
      pen_.level(row.b, {second, y}, kFigures, {Tone::text}, Anchor::end);
    }
    const double beside = second + 48, room = scene_.width - 32 - beside;
    if (room >= 280) difference({beside, scene_.height + 24}, room);
    else difference({left, y + 2 * kRow}, std::max(scene_.width - 64, 320.0));
  }

  void difference(Point at, double room) {
    const bool differ = !divergence_.text.empty();
    double y = at.y - 22;
    const TraceAnalysis &before = *runs_[options_.older ? 1 : 0],
                        &now = *runs_[options_.older ? 0 : 1];
    const std::string words =
        options_.edit ? edit_in_words(*runs_[1], *runs_[0], "") : difference_in_words(before, now);
    for (const auto& line : wrapped(words, kBodyStrong, room - kPadding, pen_.ruler()))
      pen_.level(line, {at.x, y += 22}, kBodyStrong, {Tone::text}, Anchor::start);
    if (options_.edit) return;  // the line above says it
    const double text = at.x + (differ ? 28 : 0);
    if (differ) pen_.circle({at.x + 9, y + 22}, 8, {}, Ink{Tone::text}).line_width = 3;
    for (const auto& line :
         wrapped(differ ? divergence_.text : "All ranks send the same messages in the same order.",
                 kBody, room - kPadding - (text - at.x), pen_.ruler()))
      pen_.level(line, {text, y += 22}, kBody, {Tone::muted}, Anchor::start);
  }

  const std::array<const TraceAnalysis*, 2> runs_;
  const ComparisonOptions& options_;
  const Divergence divergence_;
  Scene scene_;
  Drawing pen_;
};

void check_not_empty(const TraceAnalysis& a, const TraceAnalysis& b) {
  for (const TraceAnalysis* run : {&a, &b})
    if (run->trace().size() == 0)
      throw UserError(fmt::format("the {} trace is empty: there is nothing to compare",
                                  run == &a ? "first" : "second"));
}

}  // namespace

Scene comparison(const TraceAnalysis& a, const TraceAnalysis& b, const ComparisonOptions& options,
                 const Ruler& ruler) {
  check_not_empty(a, b);
  return Comparison(a, b, options, ruler).draw();
}

Scene comparison_pane(const TraceAnalysis& a, const TraceAnalysis& b,
                      const ComparisonOptions& options, double width, double height,
                      const Ruler& ruler) {
  check_not_empty(a, b);
  return Comparison(a, b, options, ruler).pane(width, height);
}

namespace {

// Identifies a message, whenever it was sent.
struct Sent {
  int round = 0;
  Rank from = 0, to = 0;
  std::uint64_t bytes = 0;
  std::size_t index = 0;
  auto key() const { return std::tuple(round, from, to, bytes); }
};

std::vector<Sent> sent_in(const Rounds& rounds) {
  std::vector<Sent> list;
  for (std::size_t i = 0; i < rounds.messages.size(); ++i) {
    const auto& m = rounds.messages[i];
    if (!m.sync) list.push_back({rounds.round[i], m.from, m.to, m.bytes, i});
  }
  ranges::sort(list, {},
               [](const Sent& sent) { return std::tuple_cat(sent.key(), std::tuple(sent.index)); });
  return list;
}

std::string words(const Sent& sent) {
  return fmt::format("rank {} sends {} to rank {}", sent.from, amount_text(sent.bytes), sent.to);
}

Divergence by_messages(const TraceAnalysis& a, const TraceAnalysis& b) {
  const auto left = sent_in(a.rounds()), right = sent_in(b.rounds());
  const auto same = std::ranges::mismatch(left, right, {}, &Sent::key, &Sent::key);
  const auto l = same.in1, r = same.in2;
  Divergence found;
  if (l == left.end() && r == right.end()) return found;
  if (l == left.end() || r == right.end()) {
    const bool first_ends = l == left.end();
    const Sent& next = first_ends ? *r : *l;
    (first_ends ? found.b : found.a) = next.index;
    found.text = fmt::format("Round {}: the {} run has no more messages; in the other, {}.",
                             next.round, first_ends ? "first" : "second", words(next));
    return found;
  }
  // If the rounds differ, the run with the later one sends nothing more in the earlier one.
  if (l->round <= r->round) found.a = l->index;
  if (r->round <= l->round) found.b = r->index;
  const int round = std::min(l->round, r->round);
  const std::string nothing = "nothing more is sent";
  found.text = fmt::format("Round {}: in the first run, {}; in the second, {}.", round,
                           found.a ? words(*l) : nothing, found.b ? words(*r) : nothing);
  return found;
}

// Returns the first message that a rank sends, or posts a receive for, at this event or after it.
std::optional<std::size_t> message_from(const TraceAnalysis& run,
                                        std::optional<std::uint64_t> event, Rank rank) {
  if (!event) return std::nullopt;
  std::optional<std::size_t> best;
  std::uint64_t earliest = kNoEvent;
  const auto& all = run.messages();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].sync) continue;
    const auto at = all[i].from == rank ? all[i].sent
                    : all[i].to == rank ? all[i].recv_posted
                                        : kNoEvent;
    if (at < *event || at >= earliest) continue;
    earliest = at;
    best = i;
  }
  return best;
}

std::string side(const Trace& trace, std::optional<std::uint64_t> at) {
  return at ? describe(trace, *at) : "nothing more";
}

}  // namespace

Divergence find_divergence(const TraceAnalysis& left, const TraceAnalysis& right, Compared what) {
  const Trace &a = left.trace(), &b = right.trace();
  if (a.meta().algorithm != b.meta().algorithm) return by_messages(left, right);
  const auto difference = first_difference(a, b, what);
  if (!difference) return {};
  Divergence found;
  found.text =
      fmt::format("Rank {}, step {}: in the first run, {}; in the second, {}.", difference->rank,
                  difference->step + 1, side(a, difference->left), side(b, difference->right));
  found.a = message_from(left, difference->left, difference->rank);
  found.b = message_from(right, difference->right, difference->rank);
  return found;
}

}  // namespace rankscope
