// Recognises groups, rings, trees, hypercubes and grids.
#include "engine/diagrams/stage/stage_topology.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>

#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/graph/graph_layout.h"

namespace rankscope {
namespace {

// Each pair of ranks once, in the order of their first message.
Links links_of(const TraceAnalysis& analysis) {
  const Rounds& rounds = analysis.rounds();
  std::map<std::pair<int, int>, int> first;
  for (std::size_t i = 0; i < rounds.messages.size(); ++i) {
    const MessageRecord& message = rounds.messages[i];
    if (message.sync || message.from == message.to) continue;
    const auto [at, fresh] = first.emplace(std::pair(message.from, message.to), rounds.round[i]);
    if (!fresh) at->second = std::min(at->second, rounds.round[i]);
  }
  Links links;
  for (const auto& [ends, round] : first) links.push_back(ends);
  ranges::stable_sort(links, {}, [&](const auto& ends) { return first.at(ends); });
  return links;
}

// Communicators that share out all ranks among them: at least two, of at least two ranks each but the last.
std::vector<std::vector<Rank>> groups_of(const Trace& trace) {
  std::set<std::vector<Rank>> members;
  const auto world = static_cast<std::size_t>(trace.world_size());
  for (const Definition& comm : trace.definitions(Definition::Kind::comm)) {
    if (comm.id == 0 || comm.extents.size() >= world) continue;
    std::vector<Rank> ranks;
    for (const std::int64_t rank : comm.extents)
      if (rank >= 0 && rank < trace.world_size()) ranks.push_back(static_cast<Rank>(rank));
    ranges::sort(ranks);
    if (!ranks.empty()) members.insert(std::move(ranks));
  }
  // Neighbouring ranks first: hosts are numbered so.
  std::vector<std::vector<Rank>> sorted(members.begin(), members.end());
  ranges::stable_sort(sorted, {}, [](const auto& one) {
    return std::pair(one.back() - one.front() + 1 != static_cast<int>(one.size()),
                     -static_cast<int>(one.size()));
  });
  std::vector<char> taken(world, 0);
  std::vector<std::vector<Rank>> groups;
  std::size_t shared = 0;
  for (const auto& one : sorted) {
    if (ranges::any_of(one, [&](Rank r) { return taken[static_cast<std::size_t>(r)] != 0; }))
      continue;
    for (const Rank r : one) taken[static_cast<std::size_t>(r)] = 1;
    shared += one.size();
    groups.push_back(one);
  }
  ranges::sort(groups);
  const bool pairs = ranges::any_of(groups, [](const auto& one) { return one.size() > 1; });
  if (shared != world || groups.size() < 2 || !pairs) return {};
  return groups;
}

std::vector<std::vector<Rank>> hosts_of(const Trace& trace) {
  std::map<std::string, std::vector<Rank>> by_host;
  for (Rank rank = 0; rank < trace.world_size(); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (at < trace.meta().hosts.size()) by_host[trace.meta().hosts[at]].push_back(rank);
  }
  std::vector<std::vector<Rank>> groups;
  for (auto& [host, ranks] : by_host) groups.push_back(std::move(ranks));
  ranges::sort(groups);
  return groups.size() < 2 ? std::vector<std::vector<Rank>>() : groups;
}

int gray(int i) noexcept { return i ^ (i >> 1); }

// All edges of the hypercube and no others.
bool is_hypercube(int n, const Links& links) {
  if (n < 4 || !std::has_single_bit(static_cast<unsigned>(n))) return false;
  std::set<std::pair<int, int>> pairs;
  for (const auto& [from, to] : links) {
    if (!std::has_single_bit(static_cast<unsigned>(from ^ to))) return false;
    pairs.insert(std::minmax({from, to}));
  }
  return static_cast<int>(pairs.size()) == n * floor_log2(n) / 2;
}

// Rows and columns in Gray order: partners stand in one row or one column.
std::vector<Point> gray_grid(int n) {
  const int bits = floor_log2(n), wide = (bits + 1) / 2;
  const int columns = 1 << wide, rows = 1 << (bits - wide);
  std::vector<Point> at(static_cast<std::size_t>(n));
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      at[static_cast<std::size_t>((gray(row) << wide) | gray(column))] = {
          columns > 1 ? column / (columns - 1.0) : 0.5, rows > 1 ? row / (rows - 1.0) : 0.5};
  return at;
}

// A cube seen from above at an angle: bit 0 to the right, bit 1 down, bit 2 back. Partners are one edge apart, and no edge
// crosses a card.
std::vector<Point> cube() {
  std::vector<Point> at(8);
  for (unsigned i = 0; i < 8; ++i) {
    const bool right = (i & 1) != 0, low = (i & 2) != 0, back = (i & 4) != 0;
    at[i] = {(right ? 2.0 / 3 : 0) + (back ? 1.0 / 3 : 0), (low ? 0.764 : 0) + (back ? 0 : 0.236)};
  }
  return at;
}

// From 0 to 1 both ways.
std::vector<Point> stretched(std::vector<Point> at) {
  Box all{at.front().x, at.front().y, 0, 0};
  for (const Point& p : at) all = united(all, {p.x, p.y, 0, 0});
  for (Point& p : at)
    p = {all.width > 0 ? (p.x - all.x) / all.width : 0.5,
         all.height > 0 ? (p.y - all.y) / all.height : 0.5};
  return at;
}

std::vector<std::pair<Rank, Rank>> pairs_of(const Links& links) {
  std::set<std::pair<Rank, Rank>> pairs;
  for (const auto& [from, to] : links) pairs.insert(std::minmax({from, to}));
  return {pairs.begin(), pairs.end()};
}

Rank most_linked(int n, const Links& links) {
  std::vector<int> times(static_cast<std::size_t>(n), 0);
  for (const auto& [from, to] : links) {
    ++times[static_cast<std::size_t>(from)];
    ++times[static_cast<std::size_t>(to)];
  }
  return static_cast<Rank>(ranges::max_element(times) - times.begin());
}

}  // namespace

StageTopology stage_topology(const TraceAnalysis& analysis) {
  using Shape = StageTopology::Shape;
  const Trace& trace = analysis.trace();
  const int n = trace.world_size();
  StageTopology found;
  found.groups = groups_of(trace);
  if (found.groups.empty()) found.groups = hosts_of(trace);
  if (!found.groups.empty()) {
    found.shape = Shape::groups;
    return found;
  }
  const Links links = links_of(analysis);
  if (is_hypercube(n, links)) {
    found.shape = Shape::spread;
    if (n == 8) found.places.push_back(cube());
    if (n <= 8) found.edges = pairs_of(links);
    found.places.push_back(gray_grid(n));
    return found;
  }
  const GraphShape shape = graph_shape(n, links);
  if (n < 2 || shape.layout == GraphLayout::ring) {
    found.crossing = ranges::any_of(links, [n](const auto& link) {
      return wrap(link.first - link.second, n) != 1 && wrap(link.second - link.first, n) != 1;
    });
    return found;
  }
  if (shape.layout == GraphLayout::star) {
    found.shape = Shape::star;
    found.middle = most_linked(n, links);
    return found;
  }
  found.shape = Shape::spread;
  found.levels = shape.layout == GraphLayout::tree;
  if (found.levels) found.edges = pairs_of(links);
  found.places.push_back(stretched(shape.at));
  return found;
}

}  // namespace rankscope
