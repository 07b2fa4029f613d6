// Changes of a topology as steps that go both ways.
#include "engine/network/topology_editor.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/network/router.h"

namespace rankscope {
namespace {

constexpr double kFarthest = 1e6, kLeastApart = 0.3;

bool joins(const TopologyLink& link, int a, int b) {
  return (link.a == a && link.b == b) || (link.a == b && link.b == a);
}

}  // namespace

void TopologyEditor::require_links() const {
  if (topology_.uniform_ranks > 0)
    throw UserError(
        "a uniform network has no links to change: open another topology, such as fully-connected");
}

void TopologyEditor::check(const TopologyLink& link) const {
  Topology pair;  // of the two nodes alone: faults elsewhere are not this link's
  pair.add_node({.name = topology_.name_of(link.a)});
  if (link.a != link.b) pair.add_node({.name = topology_.name_of(link.b)});
  TopologyLink between = link;
  between.a = 0;
  between.b = link.a == link.b ? 0 : 1;
  pair.add_link(between);
  check_topology(pair);
}

void TopologyEditor::carry_out(Step step) {
  step.family = topology_.family;
  if (saved_ && *saved_ > done_) saved_.reset();
  steps_.resize(done_);
  steps_.push_back(std::move(step));
  ++done_;
  forward(steps_.back());
}

void TopologyEditor::forward(const Step& step) {
  topology_.family = {};
  const auto at = static_cast<std::size_t>(step.at);
  auto& links = topology_.links;
  switch (step.kind) {
    case Step::Kind::move:
      topology_.nodes[at].x = step.to_x;
      topology_.nodes[at].y = step.to_y;
      break;
    case Step::Kind::add: links.push_back(step.after); break;
    case Step::Kind::change: links[at] = step.after; break;
    case Step::Kind::cut:
      links.erase(links.begin() + step.at);
      for (auto route = step.routes.rbegin(); route != step.routes.rend(); ++route)
        topology_.routes.erase(topology_.routes.begin() +
                               static_cast<std::ptrdiff_t>(route->first));
      break;
  }
}

void TopologyEditor::backward(const Step& step) {
  topology_.family = step.family;
  const auto at = static_cast<std::size_t>(step.at);
  auto& links = topology_.links;
  switch (step.kind) {
    case Step::Kind::move:
      topology_.nodes[at].x = step.from_x;
      topology_.nodes[at].y = step.from_y;
      break;
    case Step::Kind::add: links.pop_back(); break;
    case Step::Kind::change: links[at] = step.before; break;
    case Step::Kind::cut:
      links.insert(links.begin() + step.at, step.before);
      for (const auto& [index, route] : step.routes)
        topology_.routes.insert(topology_.routes.begin() + static_cast<std::ptrdiff_t>(index),
                                route);
      break;
  }
}

void TopologyEditor::add_link(int a, int b, const LinkTerms& terms) {
  require_links();
  if (topology_.links.size() >= static_cast<std::size_t>(kMostLinks))
    throw UserError(fmt::format("there are {} links, and no more are allowed: cut one first",
                                topology_.links.size()));
  Step step{.kind = Step::Kind::add};
  step.at = static_cast<int>(topology_.links.size());
  step.after = {
      .a = a, .b = b, .bandwidth = terms.bandwidth, .back = terms.back, .latency = terms.latency};
  check(step.after);
  carry_out(std::move(step));
}

void TopologyEditor::change_link(int link, const LinkTerms& terms) {
  require_links();
  Step step{.kind = Step::Kind::change, .at = link};
  step.before = step.after = topology_.links.at(static_cast<std::size_t>(link));
  step.after.bandwidth = terms.bandwidth;
  step.after.back = step.after.duplex == Duplex::half ? terms.bandwidth : terms.back;
  step.after.latency = terms.latency;
  check(step.after);
  if (step.after != step.before) carry_out(std::move(step));
}

// A route is lost when its neighbours have no other link.
std::vector<std::pair<std::size_t, GivenRoute>> TopologyEditor::routes_over(int link) const {
  const TopologyLink& cut = topology_.links[static_cast<std::size_t>(link)];
  std::vector<std::pair<std::size_t, GivenRoute>> lost;
  if (links_between(topology_, cut.a, cut.b).size() > 1) return lost;
  for (std::size_t i = 0; i < topology_.routes.size(); ++i) {
    const auto& nodes = topology_.routes[i].nodes;
    for (std::size_t at = 1; at < nodes.size(); ++at)
      if (joins(cut, nodes[at - 1], nodes[at])) {
        lost.emplace_back(i, topology_.routes[i]);
        break;
      }
  }
  return lost;
}

void TopologyEditor::cut(int link) {
  require_links();
  Step step{.kind = Step::Kind::cut, .at = link};
  step.before = topology_.links.at(static_cast<std::size_t>(link));
  step.routes = routes_over(link);
  carry_out(std::move(step));
}

void TopologyEditor::move(int node, double x, double y) {
  require_links();
  for (const double place : {x, y})
    if (!std::isfinite(place) || std::abs(place) > kFarthest)
      throw UserError(fmt::format("a node's place is within {:g} of the middle, not at {:g}",
                                  kFarthest, place));
  for (std::size_t other = 0; other < topology_.nodes.size(); ++other) {
    const TopologyNode& there = topology_.nodes[other];
    if (static_cast<int>(other) != node && std::hypot(there.x - x, there.y - y) < kLeastApart)
      throw UserError(fmt::format("'{}' would lie on '{}': leave at least {} between them",
                                  topology_.name_of(node), there.name, kLeastApart));
  }
  const TopologyNode& now = topology_.nodes.at(static_cast<std::size_t>(node));
  if (now.x == x && now.y == y) return;
  Step step{.kind = Step::Kind::move, .at = node};
  step.from_x = now.x, step.from_y = now.y;
  step.to_x = x, step.to_y = y;
  carry_out(std::move(step));
}

bool TopologyEditor::undo() {
  if (done_ == 0) return false;
  backward(steps_[--done_]);
  return true;
}

bool TopologyEditor::redo() {
  if (done_ == steps_.size()) return false;
  forward(steps_[done_++]);
  return true;
}

int node_named(const Topology& topology, std::string_view name) {
  const auto found = ranges::find(topology.nodes, name, &TopologyNode::name);
  if (found != topology.nodes.end()) return static_cast<int>(found - topology.nodes.begin());
  const Rank rank = as_number<Rank>(name).value_or(-1);
  if (rank >= 0 && rank < static_cast<Rank>(topology.rank_nodes.size()))
    return topology.rank_nodes[static_cast<std::size_t>(rank)];
  std::vector<std::string> names;
  for (const TopologyNode& node : topology.nodes) names.push_back(node.name);
  throw UserError(
      fmt::format("there is no node '{}'{}", name,
                  nearest_hint(name, names, "say its name, or the number of its rank")));
}

std::vector<int> links_between(const Topology& topology, int a, int b) {
  std::vector<int> out;
  for (int link = 0; link < static_cast<int>(topology.links.size()); ++link)
    if (joins(topology.links[static_cast<std::size_t>(link)], a, b)) out.push_back(link);
  return out;
}

LinkTerms usual_terms(const Topology& topology, int a) {
  const auto of = [](const TopologyLink& link) {
    const double rate = std::max(link.bandwidth, link.back);
    return LinkTerms{rate, rate, link.latency};
  };
  for (const TopologyLink& link : topology.links)
    if (link.a == a || link.b == a) return of(link);
  if (!topology.links.empty()) return of(topology.links.front());
  return {1e10, 1e10, 1e-6};
}

namespace {

constexpr int kMostRanksTried = 256;
constexpr std::size_t kMostNamed = 4;

/// Returns the pairs of ranks, the lower one first, that do not reach each other (routes go both ways); none for more
/// than kMostRanksTried ranks.
std::vector<std::pair<Rank, Rank>> unreachable_pairs(const Topology& topology) {
  std::vector<std::pair<Rank, Rank>> out;
  if (topology.uniform_ranks > 0 || topology.ranks() > kMostRanksTried) return out;
  const Router router(topology);
  std::vector<Hop> route;
  for (Rank a = 0; a < topology.ranks(); ++a)
    for (Rank b = a + 1; b < topology.ranks(); ++b)
      if (!router.find(a, b, route)) out.emplace_back(a, b);
  return out;
}

/// The ranks that reach no other one.
std::vector<Rank> lonely_ranks(const Topology& topology,
                               const std::vector<std::pair<Rank, Rank>>& pairs) {
  std::vector<int> missing(static_cast<std::size_t>(topology.ranks()), 0);
  for (const auto& [a, b] : pairs)
    ++missing[static_cast<std::size_t>(a)], ++missing[static_cast<std::size_t>(b)];
  std::vector<Rank> out;
  for (Rank rank = 0; rank < topology.ranks(); ++rank)
    if (missing[static_cast<std::size_t>(rank)] == topology.ranks() - 1) out.push_back(rank);
  return out;
}

}  // namespace

std::string unreachable_text(const Topology& topology) {
  const TopologyFault fault = find_fault(topology);
  if (!fault || fault.of != TopologyFault::Of::node) return {};
  const auto pairs = unreachable_pairs(topology);
  if (pairs.empty()) return fault.text;
  const std::vector<Rank> lonely = lonely_ranks(topology, pairs);
  const auto covered = [&](const std::pair<Rank, Rank>& pair) {
    return ranges::find(lonely, pair.first) != lonely.end() ||
           ranges::find(lonely, pair.second) != lonely.end();
  };
  std::vector<std::string> parts;
  if (static_cast<int>(lonely.size()) == topology.ranks()) return "no rank reaches another one";
  if (lonely.size() == 1) parts.push_back(fmt::format("rank {} reaches no other rank", lonely[0]));
  else if (!lonely.empty())
    parts.push_back(fmt::format("ranks {} reach no other rank", fmt::join(lonely, ", ")));
  std::vector<std::string> named;
  std::size_t others = 0;
  for (const auto& pair : pairs) {
    if (covered(pair)) continue;
    if (named.size() < kMostNamed)
      named.push_back(fmt::format("{} and {}", pair.first, pair.second));
    else ++others;
  }
  if (!named.empty())
    parts.push_back(fmt::format("ranks {}{} do not reach each other", fmt::join(named, ", "),
                                others == 0   ? ""
                                : others == 1 ? " and 1 other pair"
                                              : fmt::format(" and {} other pairs", others)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace rankscope
