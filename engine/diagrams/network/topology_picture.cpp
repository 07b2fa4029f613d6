// Draws hosts, links and nodes, and a legend of bandwidths.
#include "engine/diagrams/network/topology_picture.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/network/topology_layout.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/scene/label_placer.h"

namespace rankscope {
namespace {

constexpr double kThinnest = 1.25, kWidestLink = 8, kOnlyWidth = 2.5, kHostMargin = 14;
constexpr std::size_t kMostLabels = 48, kMostLegend = 6;

double widest_rate(const TopologyLink& link) { return std::max(link.bandwidth, link.back); }

/// Returns a node's name in its box: "nic0" of "h1.nic0".
std::string_view short_name(const TopologyNode& node) {
  const std::string_view name = node.name;
  const auto dot = name.find('.');
  return dot == std::string_view::npos || dot + 1 == name.size() ? name : name.substr(dot + 1);
}

class TopologyDrawing {
 public:
  TopologyDrawing(const Topology& topology, const TopologyPictureOptions& options,
                  const Ruler& ruler)
      : topology_(topology),
        options_(options),
        layout_(topology_layout(topology)),
        pen_(scene_, ruler) {
    for (Point& at : layout_.at) at.x *= options_.stretch;
    for (const TopologyLink& link : topology_.links) rates_.insert(widest_rate(link));
    if (!rates_.empty()) most_ = *rates_.rbegin();
    for (const Hop& hop : options_.route) on_route_.insert(hop.link);
    layout_.radius = std::clamp(layout_.radius * options_.letters, layout_.radius,
                                std::max(layout_.radius, layout_.most_radius));
  }

  Scene draw() {
    draw_hosts();
    find_paths();
    for (int link = 0; link < static_cast<int>(topology_.links.size()); ++link)
      if (!on_route_.contains(link) && link != options_.selected) draw_link(link);
    outline_links();
    for (const int link : on_route_) draw_link(link);
    if (options_.selected >= 0 && options_.selected < static_cast<int>(paths_.size()) &&
        !on_route_.contains(options_.selected))
      draw_link(options_.selected);
    if (topology_.uniform_ranks > 0) draw_ranks_alone();
    for (int node = 0; node < static_cast<int>(topology_.nodes.size()); ++node) draw_node(node);
    draw_ways();
    draw_labels();
    if (options_.pane) return in_pane();
    draw_legend();
    return captioned(std::move(scene_), caption(), pen_.ruler());
  }

 private:
  Scene in_pane() {
    constexpr double kPaneMargin = 8;
    Scene out = uncaptioned(std::move(scene_), caption());
    trim(out, kPaneMargin);
    return out;
  }
  const TopologyNode& node_at(int node) const {
    return topology_.nodes[static_cast<std::size_t>(node)];
  }
  Point place_of(int node) const { return layout_.at[static_cast<std::size_t>(node)]; }
  const TopologyLink& link_at(int link) const {
    return topology_.links[static_cast<std::size_t>(link)];
  }

  /// Returns a link's width in pixels, in proportion to its bandwidth as far as that is visible.
  double width_of(double rate) const {
    const double most =
        std::min(rates_.size() > 1 ? kWidestLink : kOnlyWidth, layout_.radius * 0.55);
    return std::max(kThinnest, most * rate / most_);
  }

  bool is_legible(double size) const {
    constexpr double kLeastShown = 6.5;
    return options_.shown_at >= 1 || size * options_.shown_at >= kLeastShown;
  }
  Font caption_font() const { return {kCaption.size * options_.letters, kCaption.weight, false}; }
  Font name_font(double most) const {
    return {std::clamp(most, 8.0, 13.0 * options_.letters), Font::Weight::semibold, false};
  }

  Box box_of(int node) const {
    const Point at = place_of(node);
    if (node_at(node).kind == NodeKind::rank) return Box{at.x, at.y, 0, 0}.grown(layout_.radius);
    const double half = std::max(
        layout_.radius * 0.8, pen_.width(label_of(node), name_font(layout_.radius * 0.62)) / 2 + 7);
    const double high = layout_.radius * 0.68;
    return {at.x - half, at.y - high, 2 * half, 2 * high};
  }

  std::string label_of(int node) const {
    const TopologyNode& one = node_at(node);
    if (one.kind == NodeKind::rank) return fmt::format("{}", rank_of(node));
    return fmt::format("{}{}", short_name(one), one.reduces ? " ⊕" : "");
  }

  Rank rank_of(int node) const {
    return static_cast<Rank>(ranges::lower_bound(topology_.rank_nodes, node) -
                             topology_.rank_nodes.begin());
  }

  void draw_hosts() {
    std::map<std::string, Box> hosts;
    for (int node = 0; node < static_cast<int>(topology_.nodes.size()); ++node) {
      const std::string& host = node_at(node).host;
      if (host.empty()) continue;
      const Box box = box_of(node);
      const auto [at, added] = hosts.emplace(host, box);
      if (!added) at->second = united(at->second, box);
    }
    if (hosts.size() < 2) return;
    for (const auto& [host, box] : hosts) {
      const Box around = box.grown(kHostMargin);
      pen_.box(around, Ink{Tone::panel}, Ink{Tone::frame}, 8);
      pen_.text(host, {around.x + 8, around.bottom() - 7}, caption_font(), {Tone::muted});
    }
  }

  void find_paths() {
    std::map<std::pair<int, int>, int> lanes, taken;
    const auto ends = [](const TopologyLink& link) { return std::minmax(link.a, link.b); };
    for (const TopologyLink& link : topology_.links) ++lanes[ends(link)];
    for (const TopologyLink& link : topology_.links) {
      const auto pair = ends(link);
      paths_.push_back(link_path(layout_, pair.first, pair.second, taken[pair]++, lanes[pair]));
    }
  }

  std::string link_story(int link) const {
    const TopologyLink& one = link_at(link);
    std::string out = fmt::format("{}{}{}\n", topology_.link_name(link),
                                  one.label.empty() ? "" : ": ", one.label);
    if (one.duplex == Duplex::half)
      out += fmt::format("{} shared by both directions", bandwidth_text(one.bandwidth, 4));
    else if (one.bandwidth == one.back)
      out += fmt::format("{} in each direction", bandwidth_text(one.bandwidth, 4));
    else
      out += fmt::format("{} there, {} back", bandwidth_text(one.bandwidth, 4),
                         bandwidth_text(one.back, 4));
    out += fmt::format("\nlatency {}", exact_seconds_text(one.latency));
    if (has_loads()) out += fmt::format("\n{} {}", percent(load_of(link)), options_.load_of);
    return out;
  }

  bool has_loads() const { return !options_.loads.empty(); }
  double load_of(int link) const {
    const auto at = static_cast<std::size_t>(link);
    return at < options_.loads.size() ? options_.loads[at] : 0;
  }
  static std::string percent(double load) {
    return load > 0 && load < 0.01 ? "< 1 %" : fmt::format("{:.0f} %", 100 * load);
  }
  static Ink load_ink(double load) {
    return {Tone::load, std::clamp(static_cast<int>(std::lround(100 * load)), 1, 100)};
  }

  Ink link_ink(int link) const {
    if (has_loads()) return load_of(link) > 0 ? load_ink(load_of(link)) : Ink{Tone::grid};
    if (on_route_.contains(link)) return {Tone::accent};
    return {Tone::muted, 0, on_route_.empty() ? 0.75F : 0.3F};
  }

  /// Draws a line, hollow if both directions share the link.
  void draw_line(const std::vector<Point>& path, Ink ink, double rate, bool half) {
    const double width = half ? std::max(4.0, width_of(rate)) : width_of(rate);
    pen_.path(path, ink, width);
    if (half) pen_.path(path, Ink{Tone::page}, width * 0.45);
  }

  void draw_link(int link) {
    const TopologyLink& one = link_at(link);
    pen_.new_group({.id = fmt::format("link-{}", link), .story = link_story(link)});
    draw_line(paths_[static_cast<std::size_t>(link)], link_ink(link), widest_rate(one),
              one.duplex == Duplex::half);
    pen_.group(-1);
  }

  /// Draws a line on either side of a link, with a gap, so that it keeps the colour of its load.
  void outline(int link) {
    constexpr double kOutline = 9, kGap = 4.5;
    const auto& path = paths_[static_cast<std::size_t>(link)];
    const double width = width_of(widest_rate(link_at(link)));
    pen_.path(path, Ink{Tone::accent}, width + kOutline);
    pen_.path(path, Ink{Tone::page}, width + kGap);
  }

  void outline_links() {
    if (options_.selected >= 0 && options_.selected < static_cast<int>(paths_.size()))
      outline(options_.selected);
    if (!has_loads()) return;
    for (const int link : on_route_) outline(link);
  }

  /// Returns the place (0 to 1) on a path shortly before a node.
  double before_node(const std::vector<Point>& path, bool along, int node) const {
    constexpr double kStep = 0.02;
    const Box around = box_of(node).grown(10 * options_.letters);
    double at = 0.5;
    for (double on = 0.5; on < 1; on += kStep) {
      if (around.contains(bezier(path, along ? on : 1 - on))) break;
      at = along ? on : 1 - on;
    }
    return at;
  }

  /// Draws which way a route goes: on its links, beside their labels.
  void draw_ways() {
    const double long_by = 7 * options_.letters, half = 5 * options_.letters;
    for (const Hop& hop : options_.route) {
      const auto& path = paths_[static_cast<std::size_t>(hop.link)];
      const TopologyLink& link = link_at(hop.link);
      const bool along = (link.a < link.b) != hop.back;  // paths begin at the lower node
      const double at = before_node(path, along, hop.back ? link.a : link.b);
      const Point here = bezier(path, at), next = bezier(path, at + (along ? 0.01 : -0.01));
      const double dx = next.x - here.x, dy = next.y - here.y, far = std::hypot(dx, dy);
      if (far <= 0) continue;
      const Point to{dx / far, dy / far};
      pen_.triangle({here.x + to.x * long_by, here.y + to.y * long_by},
                    {here.x - to.y * half, here.y + to.x * half},
                    {here.x + to.y * half, here.y - to.x * half}, {Tone::accent});
    }
  }

  void draw_rank(Point at, Rank rank, const std::string& story) {
    pen_.new_group({.id = fmt::format("rank-{}", rank), .story = story});
    pen_.circle(at, layout_.radius - 1, Ink{Tone::page}, Ink{Tone::text}).line_width = 1.5;
    const std::string number = fmt::format("{}", rank);
    const double room = rank < 100 ? 0.85 : rank < 1000 ? 0.7 : 0.55;
    const Font font{std::clamp(layout_.radius * room, 6.0, 15.0 * options_.letters),
                    Font::Weight::semibold, false};
    if (is_legible(font.size)) pen_.level(number, at, font);
    pen_.group(-1);
  }

  void draw_ranks_alone() {
    for (Rank rank = 0; rank < topology_.uniform_ranks; ++rank)
      draw_rank(layout_.at[static_cast<std::size_t>(rank)], rank, fmt::format("rank {}", rank));
  }

  void draw_node(int node) {
    const TopologyNode& one = node_at(node);
    if (one.kind == NodeKind::rank)
      return draw_rank(place_of(node), rank_of(node),
                       fmt::format("rank {} ({})", rank_of(node), one.name));
    pen_.new_group({.id = fmt::format("node-{}", node),
                    .story = fmt::format("{}: {}{}", one.name, to_string(one.kind),
                                         one.reduces ? "\nadds up what passes" : "")});
    const Box box = box_of(node);
    const bool round = one.kind == NodeKind::network_switch;
    pen_.box(box, Ink{Tone::lane}, Ink{one.reduces ? Tone::reducing : Tone::muted},
             round ? box.height / 2 : 3, one.reduces ? 2 : 1);
    const Font font = name_font(layout_.radius * 0.62);
    if (layout_.radius >= 9 && is_legible(font.size))
      pen_.level(label_of(node), box.center(), font);
    pen_.group(-1);
  }

  void draw_labels() {
    std::vector<LabelRequest> requests;
    Box area = scene_extent();
    const Font font = caption_font();
    LabelPlacer placer(pen_.ruler(), font, area);
    for (int node = 0; node < static_cast<int>(topology_.nodes.size()); ++node)
      placer.block(box_of(node));
    const double least = least_labelled();
    for (std::size_t link = 0; link < topology_.links.size(); ++link) {
      const TopologyLink& one = topology_.links[link];
      const double load = load_of(static_cast<int>(link));
      if (has_loads()) {
        if (load > least) requests.push_back({place_of(one.a), place_of(one.b), {percent(load)}});
      } else if (!one.label.empty())
        requests.push_back({place_of(one.a), place_of(one.b), {one.label}});
    }
    if (requests.empty() || requests.size() > kMostLabels || !is_legible(font.size)) return;
    for (const auto& placed : placer.place(requests))
      if (placed) {
        pen_.box(placed->pill, Ink{Tone::page}, {}, placed->pill.height / 2);
        pen_.level(placed->text, placed->pill.center(), font);
      }
  }

  /// In a pane, where packets travel, only the busiest links have their loads beside them.
  double least_labelled() const {
    constexpr std::size_t kMostBusy = 5;
    if (!options_.pane || options_.loads.size() <= kMostBusy) return 0;
    std::vector<double> loads = options_.loads;
    ranges::sort(loads, std::greater{});
    return loads[kMostBusy];
  }

  Box scene_extent() const {
    Box out;
    for (const Mark& mark : scene_.marks) out = out.empty() ? mark.box : united(out, mark.box);
    return out;
  }

  /// Explains which width is which bandwidth.
  void draw_legend() {
    std::vector<double> rates(rates_.rbegin(), rates_.rend());
    if (rates.size() > kMostLegend) rates = {rates.front(), rates.back()};
    const bool half = ranges::any_of(
        topology_.links, [](const TopologyLink& link) { return link.duplex == Duplex::half; });
    const Box extent = scene_extent();
    Point at{extent.x, extent.bottom() + 30};
    for (const double rate : rates) {
      const std::string words = bandwidth_text(rate, 4);
      const double needed = 36 + pen_.width(words, kCaption) + 22;
      if (at.x > extent.x && at.x + needed > std::max(extent.right(), extent.x + 320))
        at = {extent.x, at.y + 20};
      draw_line(straight(at, {at.x + 28, at.y}), {Tone::muted, 0, 0.75F}, rate, half);
      pen_.level(words, {at.x + 36, at.y}, kCaption, {}, Anchor::start);
      at.x += needed;
    }
    if (half)
      pen_.level("hollow: both directions share the link", {extent.x, at.y += 20}, kCaption,
                 {Tone::muted}, Anchor::start);
    if (has_loads()) draw_load_legend({extent.x, at.y + 22});
  }

  /// Explains which colour is which load.
  void draw_load_legend(Point at) {
    constexpr double kThick = 6, kLong = 24;
    const auto entry = [&](Ink ink, const std::string& words) {
      pen_.path(straight(at, {at.x + kLong, at.y}), ink, kThick);
      pen_.level(words, {at.x + kLong + 6, at.y}, kCaption, {}, Anchor::start);
      at.x += kLong + 6 + pen_.width(words, kCaption) + 14;
    };
    entry({Tone::grid}, "idle");
    for (const double load : {0.01, 0.25, 0.5, 0.75, 1.0})
      entry(load_ink(load), load == 1.0 ? "100 % " + options_.load_of : percent(load));
  }

  Caption caption() const {
    Caption out;
    out.title = topology_.title.empty() ? "Topology" : topology_.title;
    if (!topology_.about.empty()) out.subtitle.push_back(topology_.about);
    if (!options_.note.empty()) out.notes.push_back(options_.note);
    return out;
  }

  const Topology& topology_;
  const TopologyPictureOptions& options_;
  TopologyLayout layout_;
  Scene scene_;
  Drawing pen_;
  std::set<double> rates_;
  double most_ = 1;
  std::set<int> on_route_;
  std::vector<std::vector<Point>> paths_;
};

}  // namespace

Scene topology_picture(const Topology& topology, const TopologyPictureOptions& options,
                       const Ruler& ruler) {
  const std::size_t nodes = topology.uniform_ranks > 0
                                ? static_cast<std::size_t>(topology.uniform_ranks)
                                : topology.nodes.size();
  if (nodes > kMostDrawnNodes)
    throw UserError(fmt::format(
        "{} nodes are too many for a picture, of at most {}: draw a smaller one of its family",
        nodes, kMostDrawnNodes));
  return TopologyDrawing(topology, options, ruler).draw();
}

}  // namespace rankscope
