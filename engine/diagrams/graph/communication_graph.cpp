// Builds the graph of who sends to whom from a trace's messages, and draws it.
#include "engine/diagrams/graph/communication_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "engine/account/pieces.h"
#include "engine/analysis/events/rounds.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

class GraphArrows {
 public:
  explicit GraphArrows(const GraphShape& shape) : shape_(shape) {}

  /// Adds a link's arrow. With `two_way` there is one in the other direction, too, so both bend apart.
  const std::vector<Point>& add(int from, int to, bool two_way);
  /// Returns the middle of a label of this size on arrow `i`, or beside it if it is too short: clear of nodes and
  /// earlier labels and, if possible, of other arrows; nothing if there is no such place.
  std::optional<Point> label(std::size_t i, double width, double height);
  const std::vector<Point>& operator[](std::size_t i) const { return arrows_[i].points; }

 private:
  struct Arrow {
    int from = 0, to = 0;
    std::vector<Point> points, samples;
  };
  std::vector<Point> bent(int from, int to, double by) const;
  int nodes_hit(const Arrow& arrow) const;
  std::vector<Point> places(const Arrow& arrow, double width, double height) const;
  bool blocked(const Box& box) const;
  int arrows_hit(std::size_t own, const Box& box) const;

  const GraphShape& shape_;
  std::vector<Arrow> arrows_;
  std::vector<Box> labels_;
};

constexpr double kNodeGap = 5;     // between a node and an arrow's end
constexpr double kWidestBow = 28;  // of two arrows that only part from each other
constexpr double kEndShown = 13;   // of an arrow that shows before and behind its label
constexpr int kSamples = 24;

Point toward(Point from, Point to, double distance) noexcept {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const double length = std::max(std::hypot(dx, dy), 1e-9);
  return {from.x + dx / length * distance, from.y + dy / length * distance};
}

// `by`: how far the control points lie to the side, as a share of the distance.
std::vector<Point> GraphArrows::bent(int from, int to, double by) const {
  const Point a = shape_.at[static_cast<std::size_t>(from)];
  const Point b = shape_.at[static_cast<std::size_t>(to)];
  const double trim = shape_.radius + kNodeGap;
  if (by == 0) return straight(toward(a, b, trim), toward(b, a, trim));
  const double dx = b.x - a.x, dy = b.y - a.y;
  const auto control = [&](double along) {
    return Point{a.x + dx * along - dy * by, a.y + dy * along + dx * by};
  };
  const Point c1 = control(0.3), c2 = control(0.7);
  return {toward(a, c1, trim), c1, c2, toward(b, c2, trim)};
}

int GraphArrows::nodes_hit(const Arrow& arrow) const {
  int hit = 0;
  for (std::size_t node = 0; node < shape_.at.size(); ++node) {
    if (static_cast<int>(node) == arrow.from || static_cast<int>(node) == arrow.to) continue;
    const Point at = shape_.at[node];
    hit += ranges::any_of(arrow.samples, [&](Point p) {
      return std::hypot(p.x - at.x, p.y - at.y) < shape_.radius + kNodeGap;
    });
  }
  return hit;
}

const std::vector<Point>& GraphArrows::add(int from, int to, bool two_way) {
  static constexpr double kOneWay[] = {0, 0.16, -0.16, 0.28, -0.28, 0.42, -0.42};
  static constexpr double kTwoWay[] = {0.13, 0.22, 0.32, 0.44, 0.56};
  const Point a = shape_.at[static_cast<std::size_t>(from)],
              b = shape_.at[static_cast<std::size_t>(to)];
  const double most = kWidestBow / std::hypot(b.x - a.x, b.y - a.y);
  Arrow best;
  int least = std::numeric_limits<int>::max();
  for (const double by : two_way ? std::span<const double>(kTwoWay) : kOneWay) {
    const double bow = by == kTwoWay[0] ? std::min(by, most) : by;
    Arrow arrow{from, to, bent(from, to, bow), {}};
    for (int i = 0; i <= kSamples; ++i)
      arrow.samples.push_back(bezier(arrow.points, static_cast<double>(i) / kSamples));
    const int hit = nodes_hit(arrow);
    if (hit >= least) continue;
    least = hit;
    best = std::move(arrow);
    if (hit == 0) break;
  }
  arrows_.push_back(std::move(best));
  return arrows_.back().points;
}

bool GraphArrows::blocked(const Box& box) const {
  const Box wide = box.grown(2);
  const bool on_label =
      ranges::any_of(labels_, [&](const Box& label) { return label.overlaps(wide); });
  return on_label || ranges::any_of(shape_.at, [&](Point p) {
           const double dx = std::max({wide.x - p.x, p.x - wide.right(), 0.0});
           const double dy = std::max({wide.y - p.y, p.y - wide.bottom(), 0.0});
           return std::hypot(dx, dy) < shape_.radius;
         });
}

int GraphArrows::arrows_hit(std::size_t own, const Box& box) const {
  int hit = 0;
  for (std::size_t i = 0; i < arrows_.size(); ++i)
    hit += i != own && ranges::any_of(arrows_[i].samples, [&](Point p) { return box.contains(p); });
  return hit;
}

// Returns places on the arrow where enough of its ends stays visible, then beside its middle, then anywhere on it.
std::vector<Point> GraphArrows::places(const Arrow& arrow, double width, double height) const {
  static constexpr double kOnIt[] = {0.48, 0.4, 0.56, 0.34, 0.62, 0.28, 0.68, 0.22, 0.74, 0.17};
  const Point a = arrow.samples.front(), b = arrow.samples.back();
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  const Point along{(b.x - a.x) / length, (b.y - a.y) / length};
  const double half = (std::abs(along.x) * width + std::abs(along.y) * height) / 2;
  std::vector<Point> places, tight;
  for (const double t : kOnIt) {
    const Point at = bezier(arrow.points, t);
    const double left =
        std::min(std::hypot(at.x - a.x, at.y - a.y), std::hypot(b.x - at.x, b.y - at.y));
    (left >= half + kEndShown ? places : tight).push_back(at);
  }
  const Point middle = arrow.samples[kSamples / 2];
  const double sideways = (std::abs(along.y) * width + std::abs(along.x) * height) / 2 + 6;
  for (const double side : {-sideways, sideways})
    places.push_back({middle.x - along.y * side, middle.y + along.x * side});
  places.insert(places.end(), tight.begin(), tight.end());
  return places;
}

std::optional<Point> GraphArrows::label(std::size_t i, double width, double height) {
  std::optional<Point> best;
  int least = std::numeric_limits<int>::max();
  for (const Point at : places(arrows_[i], width, height)) {
    const Box box = Box::around(at, width, height);
    if (blocked(box)) continue;
    const int hit = arrows_hit(i, box);
    if (hit >= least) continue;
    least = hit;
    best = at;
    if (hit == 0) break;
  }
  if (best) labels_.push_back(Box::around(*best, width, height));
  return best;
}

constexpr int kMostRanks = 64, kMostBins = 16;
constexpr std::size_t kStoryLines = 12;

struct Link {
  int from = 0, to = 0;
  std::vector<std::size_t> messages;  // of Rounds::messages
  std::uint64_t bytes = 0;
};

class Graph {
 public:
  Graph(const TraceAnalysis& analysis, const GraphOptions& options, const Ruler& ruler)
      : trace_(analysis.trace()),
        options_(options),
        found_(analysis.rounds()),
        pieces_(analysis.pieces()),
        direct_(sends_chunks_directly(analysis)),
        bins_(trace_.world_size(), trace_.world_size() > kMostRanks ? kMostBins : kMostRanks),
        lost_(stuck_ranks(analysis).lost),
        pen_(scene_, ruler) {
    if (options.round < 0 || options.round > found_.count)
      throw UserError(fmt::format("there is no round {}: {}", options.round,
                                  found_.count == 0
                                      ? std::string("this run has no messages")
                                      : fmt::format("take 1 to {}, or 0 for all", found_.count)));
    std::tie(first_, last_) = chosen_rounds(options.first_round, options.last_round, found_.count);
    if (options.round > 0) first_ = last_ = options.round;
    collect();
  }

  Scene draw() {
    shape_ = graph_shape(bins_.count(), links_between(found_, bins_), options_.layout);
    const GraphShape& shape = shape_;
    GraphArrows arrows(shape);
    std::set<std::pair<int, int>> pairs;
    for (const auto& link : links_) pairs.emplace(link.from, link.to);
    for (const auto& link : links_)
      arrows.add(link.from, link.to, pairs.contains({link.to, link.from}));
    for (std::size_t i = 0; i < links_.size(); ++i) draw_arrow(i, arrows[i]);
    for (int node = 0; node < bins_.count(); ++node) draw_node(node, shape);
    if (!crowded())
      for (std::size_t i = 0; i < links_.size(); ++i) draw_label(i, arrows);
    scene_.clock_end = found_.count;
    return captioned(std::move(scene_), caption(), pen_.ruler());
  }

 private:
  // Returns whether there are too many links for more than lines.
  bool crowded() const {
    return links_.size() > std::max<std::size_t>(24, 4 * static_cast<std::size_t>(bins_.count()));
  }

  // In orders that do not depend on time, so that the same run makes the same picture.
  void collect() {
    std::map<std::pair<int, int>, Link> links;
    for (std::size_t i = 0; i < found_.messages.size(); ++i) {
      const auto& message = found_.messages[i];
      if (message.sync || found_.round[i] < first_ || found_.round[i] > last_) continue;
      const std::pair ends{bins_.of(message.from), bins_.of(message.to)};
      ++messages_;
      bytes_ += message.bytes;
      if (ends.first == ends.second) {
        ++within_;
        continue;
      }
      auto& link = links[ends];
      link.from = ends.first;
      link.to = ends.second;
      link.messages.push_back(i);
      link.bytes += message.bytes;
    }
    for (auto& [ends, link] : links) {
      ranges::stable_sort(link.messages, {}, [&](std::size_t i) { return found_.round[i]; });
      links_.push_back(std::move(link));
    }
    once_ = ranges::all_of(links_, [](const Link& link) { return link.messages.size() == 1; });
  }

  // Returns a message's chunk and label. In an all-to-all that sends chunks directly, its ranks say more.
  std::pair<int, std::string> chunk_of(const MessageRecord& message) const {
    if (direct_) return {message.from, fmt::format("{}→{}", message.from, message.to)};
    const Piece piece = pieces_.of(message);
    return {piece.chunk(), piece.label()};
  }

  struct Look {
    std::string label;
    Ink line{Tone::muted};
  };
  Look look_of(const Link& link) const {
    Look look;
    if (options_.round == 0) {
      look.label = once_ ? fmt::format("r{}", found_.round[link.messages[0]])
                         : fmt::format("{}×", grouped(link.messages.size()));
      return look;
    }
    const auto& first = found_.messages[link.messages[0]];
    auto [chunk, label] = chunk_of(first);
    look.label = link.messages.size() > 1 ? fmt::format("{}×", link.messages.size())
                 : label.empty()          ? amount_text(link.bytes)
                                          : label;
    for (const auto i : link.messages)
      if (chunk_of(found_.messages[i]).first != chunk) chunk = -1;
    if (chunk >= 0) look.line = {Tone::chunk, chunk};
    return look;
  }

  std::string story(const Link& link) const {
    std::string text =
        fmt::format("{} to {}: {}, {}", bins_.words(link.from), bins_.words(link.to),
                    counted(link.messages.size(), "message"), amount_text(link.bytes));
    for (std::size_t i = 0; i < std::min(link.messages.size(), kStoryLines); ++i) {
      const auto& message = found_.messages[link.messages[i]];
      text += fmt::format("\nstep {}: {}, {}", found_.round[link.messages[i]],
                          pieces_.of(message).name(), amount_text(message.bytes));
    }
    if (link.messages.size() > kStoryLines) text += "\n…";
    return text;
  }

  void draw_arrow(std::size_t i, const std::vector<Point>& points) {
    const auto& link = links_[i];
    Group group{fmt::format("link-{}-{}", link.from, link.to), story(link)};
    group.begin = found_.round[link.messages.front()] - 1;
    group.end = group.begin + 1;
    for (const auto message : link.messages) {
      group.begin = std::min(group.begin, found_.round[message] - 1.0);
      group.end = std::max(group.end, static_cast<double>(found_.round[message]));
    }
    groups_.push_back(scene_.add_group(std::move(group)));
    pen_.group(groups_.back());
    Ink ink = look_of(link).line;
    if (crowded()) ink.alpha = std::clamp(150.0F / static_cast<float>(links_.size()), 0.12F, 0.5F);
    pen_.path(points, ink, crowded() ? 1 : 2).arrow = true;
  }

  void draw_label(std::size_t i, GraphArrows& arrows) {
    const Look look = look_of(links_[i]);
    const Box size = pen_.pill_box(look.label, {});
    const auto at = arrows.label(i, size.width, size.height);
    if (!at) {
      ++unlabelled_;
      return;
    }
    pen_.group(groups_[i]);
    pen_.pill(look.label, *at, look.line, text_on(look.line));
  }

  void draw_node(int node, const GraphShape& shape) {
    std::uint64_t sent = 0, received = 0;
    for (const auto& link : links_) {
      if (link.from == node) sent += link.messages.size();
      if (link.to == node) received += link.messages.size();
    }
    pen_.new_group(Group{fmt::format("rank-{}", bins_.first(node)),
                         fmt::format("{}: sends {}, receives {}", bins_.words(node),
                                     counted(sent, "message"), grouped(received))});
    const Point at = shape.at[static_cast<std::size_t>(node)];
    pen_.circle(at, shape.radius - 1.5, Ink{Tone::rank});
    pen_.level(name_of(node), at, shape.radius > 16 ? kEmphasis : kCaptionStrong);
    if (is_lost(node)) {  // on the circle's edge, so that its number stays
      const Point corner{at.x + shape.radius * 0.72, at.y - shape.radius * 0.72};
      pen_.circle(corner, 8, Ink{Tone::page}, Ink{Tone::error}).line_width = 1.5;
      pen_.cross(corner, 3.5);
    }
    pen_.group(-1);
  }

  std::string name_of(int node) const {
    return bins_.merged() ? grouped(static_cast<std::uint64_t>(bins_.first(node)))
                          : fmt::format("{}", node);
  }

  bool is_lost(int node) const {
    return ranges::any_of(lost_, [&](Rank rank) { return bins_.of(rank) == node; });
  }

  Caption caption() const {
    Caption text;
    text.title = options_.title.value_or(titled("Communication graph", trace_.meta()));
    const bool all = options_.round == 0 && first_ == 1 && last_ >= found_.count;
    const std::string when = all ? counted(static_cast<std::uint64_t>(found_.count), "step")
                             : first_ == last_
                                 ? fmt::format("step {} of {}", first_, found_.count)
                                 : fmt::format("steps {} to {} of {}", first_, last_, found_.count);
    text.subtitle.push_back(with_outcome(
        trace_, fmt::format("{} · {} · {} · {}",
                            counted(static_cast<std::uint64_t>(trace_.world_size()), "rank"), when,
                            counted(messages_, "message"), amount_text(bytes_))));
    if (messages_ == 0)
      text.notes.emplace_back(trace_.meta().has_ended() ? "No rank sends anything."
                                                        : "No rank has sent anything yet.");
    if (options_.round == 0 && !links_.empty() && !crowded())
      text.notes.push_back(explained_label());
    for (const Rank rank : lost_)
      text.notes.push_back(fmt::format("Rank {} was lost: it has a cross.", rank));
    if (bins_.merged())
      text.notes.push_back(
          fmt::format("A circle stands for {} ranks, from the one named in it on; {} "
                      "within circles are not drawn.",
                      bins_.width(), counted(within_, "message")));
    if (crowded())
      text.notes.push_back(fmt::format("{} arrows, too many to label.", grouped(links_.size())));
    else if (unlabelled_ > 0)
      text.notes.push_back(fmt::format("{} found no room.", counted(unlabelled_, "label")));
    return text;
  }

  // Explains labels by one that is in the picture.
  std::string explained_label() const {
    if (once_) {
      int last = 0;
      for (const Link& link : links_) last = std::max(last, found_.round[link.messages.front()]);
      return fmt::format("r{0} on an arrow: its only message is one of round {0}.", last);
    }
    std::size_t most = 0;
    for (const Link& link : links_) most = std::max(most, link.messages.size());
    return fmt::format("{0}× on an arrow: it stands for {0} messages.", most);
  }

  const Trace& trace_;
  const GraphOptions& options_;
  const Rounds& found_;
  const Pieces& pieces_;
  const bool direct_;  ///< See sends_chunks_directly().
  const RankBins bins_;
  const std::vector<Rank> lost_;
  GraphShape shape_;
  std::vector<Link> links_;
  std::vector<std::int32_t> groups_;
  std::uint64_t messages_ = 0, bytes_ = 0, within_ = 0, unlabelled_ = 0;
  int first_ = 1, last_ = 0;  // rounds
  bool once_ = false;         // no arrow stands for several messages
  Scene scene_;
  Drawing pen_;
};

}  // namespace

Scene communication_graph(const TraceAnalysis& analysis, const GraphOptions& options,
                          const Ruler& ruler) {
  if (analysis.trace().world_size() < 1)
    throw UserError("the trace is empty: there are no ranks to draw; record a run first");
  return Graph(analysis, options, ruler).draw();
}

std::vector<Scene> communication_graphs(const TraceAnalysis& analysis, const GraphOptions& options,
                                        int first, int last, const Ruler& ruler) {
  std::vector<Scene> pages;
  GraphOptions of_round = options;
  for (of_round.round = first; of_round.round <= last; ++of_round.round)
    pages.push_back(communication_graph(analysis, of_round, ruler));
  make_alike(pages);
  return pages;
}

}  // namespace rankscope
