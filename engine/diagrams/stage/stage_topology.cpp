// Recognises groups, rings, trees, pairs of trees, hypercubes and grids, and partners of rounds.
#include "engine/diagrams/stage/stage_topology.h"

#include <map>
#include <numeric>
#include <set>

#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/graph/graph_layout.h"

namespace rankscope {
namespace {

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

/// A tree that the messages of some chunks go along.
struct Tree {
  std::set<std::pair<int, int>> pairs;
  std::vector<int> parent, height;

  /// Returns whether every rank but one has a parent, and no way leads back.
  bool find_heights() {
    height.assign(parent.size(), 0);
    if (std::ssize(pairs) + 1 != std::ssize(parent)) return false;
    for (std::size_t r = 0; r < parent.size(); ++r) {
      int up = static_cast<int>(r), steps = 0;
      while (parent[static_cast<std::size_t>(up)] >= 0 && ++steps <= std::ssize(parent)) {
        up = parent[static_cast<std::size_t>(up)];
        height[static_cast<std::size_t>(up)] =
            std::max(height[static_cast<std::size_t>(up)], steps);
      }
      if (steps > std::ssize(parent)) return false;
    }
    return ranges::count(parent, -1) == 1;
  }
};

/// Returns the two trees of a run in which each chunk travels along one of them; empty for other runs.
std::vector<Tree> two_trees(int n, const TraceAnalysis& analysis) {
  const Rounds& rounds = analysis.rounds();
  std::vector<std::size_t> order(rounds.messages.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  ranges::stable_sort(order, {}, [&](std::size_t i) { return rounds.round[i]; });
  std::map<int, Tree> by_chunk;
  for (const std::size_t i : order) {
    const MessageRecord& message = rounds.messages[i];
    const int chunk = analysis.pieces().of(message).first_chunk;
    if (message.sync || message.bytes == 0) continue;
    if (chunk < 0) return {};
    Tree& tree = by_chunk[chunk];
    tree.parent.resize(static_cast<std::size_t>(n), -1);
    tree.pairs.insert(std::minmax({message.from, message.to}));
    // A message that goes down again changes nothing.
    int& parent = tree.parent[static_cast<std::size_t>(message.from)];
    if (parent < 0 && tree.parent[static_cast<std::size_t>(message.to)] != message.from)
      parent = message.to;
  }
  std::vector<Tree> trees;
  for (auto& [chunk, tree] : by_chunk)
    if (ranges::find(trees, tree.pairs, &Tree::pairs) == trees.end()) trees.push_back(tree);
  if (n < 4 || trees.size() != 2) return {};
  for (Tree& tree : trees)
    if (!tree.find_heights()) return {};
  return trees;
}

// One tree grows upwards, the other one downwards: the leaves of each are inner nodes of the other.
void place_two_trees(const std::vector<Tree>& trees, StageTopology& found) {
  const auto n = trees[0].parent.size();
  double up = 1, down = 1;
  for (std::size_t r = 0; r < n; ++r) {
    const int above = trees[0].height[r], below = trees[1].height[r];
    (above >= below ? up : down) =
        std::max<double>(above >= below ? up : down, std::max(above, below));
  }
  std::vector<Point> at;
  for (std::size_t r = 0; r < n; ++r) {
    const int above = trees[0].height[r], below = trees[1].height[r];
    const double y = above >= below ? -above / up : below / down;
    at.push_back({static_cast<double>(r) / (static_cast<double>(n) - 1), 0.5 + 0.5 * y});
  }
  found.shape = StageForm::spread;
  found.levels = true;
  std::set<std::pair<int, int>> edges = trees[0].pairs;
  edges.insert(trees[1].pairs.begin(), trees[1].pairs.end());
  found.edges.assign(edges.begin(), edges.end());
  found.places.push_back(std::move(at));
}

/// Returns no chains if a rank sends or receives twice.
StageChains chains_of(int n, const std::set<std::pair<Rank, Rank>>& sent) {
  std::vector<Rank> next(static_cast<std::size_t>(n), -1), before = next;
  for (const auto& [from, to] : sent) {
    Rank &after = next[static_cast<std::size_t>(from)],
         &first = before[static_cast<std::size_t>(to)];
    if (after >= 0 || first >= 0) return {};
    after = to, first = from;
  }
  StageChains chains;
  std::vector<char> seen(next.size(), 0);
  for (Rank rank = 0; rank < n; ++rank) {
    if (seen[static_cast<std::size_t>(rank)] != 0) continue;
    Rank at = rank;  // of a cycle its lowest rank, of a chain its head
    for (Rank up = before[static_cast<std::size_t>(at)]; up >= 0 && up != rank;
         up = before[static_cast<std::size_t>(at)])
      at = up;
    if (before[static_cast<std::size_t>(at)] == rank) at = rank;
    std::vector<Rank> chain;
    for (; at >= 0 && seen[static_cast<std::size_t>(at)] == 0;
         at = next[static_cast<std::size_t>(at)]) {
      chain.push_back(at);
      seen[static_cast<std::size_t>(at)] = 1;
    }
    if (chain.size() == 2) ranges::sort(chain);
    chains.push_back(std::move(chain));
  }
  return chains;
}

/// Returns the number of columns of two ranks.
std::size_t columns_of(const std::vector<Rank>& chain) { return (chain.size() + 1) / 2; }

/// Puts ranks without messages in pairs.
StageChains with_idle_pairs(const StageChains& chains) {
  StageChains all;
  std::size_t waiting = 0;
  for (const auto& chain : chains) {
    if (chain.size() == 1 && waiting > 0) {
      all[waiting - 1].push_back(chain[0]);
      waiting = 0;
      continue;
    }
    all.push_back(chain);
    if (chain.size() == 1) waiting = all.size();
  }
  return all;
}

std::vector<StageChains> in_bands(const StageChains& chains, std::size_t count) {
  std::size_t all = 0, used = 0;
  for (const auto& chain : chains) all += columns_of(chain);
  std::vector<StageChains> bands(1);
  for (const auto& chain : chains) {
    if (used > 0 && used + columns_of(chain) > (all + count - 1) / count)
      bands.emplace_back(), used = 0;
    bands.back().push_back(chain);
    used += columns_of(chain);
  }
  return bands;
}

/// Partners of each round, as in StageTopology.
std::vector<StageChains> partners_of(const TraceAnalysis& analysis) {
  const Rounds& rounds = analysis.rounds();
  const int n = analysis.trace().world_size();
  if (n <= StageForms::still || n > StageForms::partners) return {};
  std::vector<std::set<std::pair<Rank, Rank>>> sent(static_cast<std::size_t>(rounds.count) + 1);
  std::set<int> distances;
  for (std::size_t i = 0; i < rounds.messages.size(); ++i) {
    const MessageRecord& message = rounds.messages[i];
    if (message.sync || message.from == message.to || rounds.round[i] < 1) continue;
    sent[static_cast<std::size_t>(rounds.round[i])].emplace(message.from, message.to);
    distances.insert(rank_distance(message.from, message.to, n));
  }
  if (distances.size() < 2) return {};
  std::vector<StageChains> partners(1);
  for (std::size_t round = 1; round < sent.size(); ++round) {
    partners.push_back(chains_of(n, sent[round]));
    if (partners.back().empty()) return {};
  }
  return partners;
}

}  // namespace

StageTopology stage_topology(const TraceAnalysis& analysis) {
  const Trace& trace = analysis.trace();
  const int n = trace.world_size();
  const Links links = links_between(analysis.rounds(), RankBins(n, n));
  StageTopology found;
  found.groups = groups_of(trace);
  if (found.groups.empty()) found.groups = hosts_of(trace);
  if (!found.groups.empty()) {
    found.shape = StageForm::groups;
    std::vector<Rank> leader(static_cast<std::size_t>(n));
    for (const auto& group : found.groups)
      for (const Rank rank : group) leader[static_cast<std::size_t>(rank)] = group.front();
    found.leaders = ranges::all_of(links, [&](const auto& link) {
      const Rank from = leader[static_cast<std::size_t>(link.first)],
                 to = leader[static_cast<std::size_t>(link.second)];
      return from == to || link == std::pair(from, to);
    });
    return found;
  }
  found.partners = partners_of(analysis);
  if (is_hypercube(n, links)) {
    found.shape = StageForm::spread;
    if (n == 8) found.places.push_back(cube());
    if (n <= 8) found.edges = pairs_of(links);
    found.places.push_back(gray_grid(n));
    return found;
  }
  if (const auto trees = two_trees(n, analysis); !trees.empty()) {
    place_two_trees(trees, found);
    found.partners.clear();
    return found;
  }
  const GraphShape shape = graph_shape(n, links);
  if (n < 2 || shape.layout == GraphLayout::ring) {
    found.crossing = ranges::any_of(
        links, [n](const auto& link) { return rank_distance(link.first, link.second, n) != 1; });
    return found;
  }
  if (shape.layout == GraphLayout::star) {
    found.shape = StageForm::star;
    found.middle = most_linked(n, links);
    return found;
  }
  found.shape = StageForm::spread;
  found.levels = shape.layout == GraphLayout::tree;
  if (found.levels) found.edges = pairs_of(links);
  found.places.push_back(stretched(shape.at));
  // Between neighbours alone a grid has fewer.
  found.crossing = !found.levels && std::ssize(pairs_of(links)) >= 2 * n;
  return found;
}

std::vector<Point> partner_places(const StageChains& chains, int world, int bands, const Box& area,
                                  const Box& card) {
  constexpr double kBetween = 24, kFurthest = 260;
  const auto rows = in_bands(with_idle_pairs(chains), static_cast<std::size_t>(bands));
  if (std::ssize(rows) > bands) return {};
  // No further apart than a message needs to be followed.
  const double height =
      std::min((area.height - (bands - 1) * kBetween) / bands, 2 * card.height + kFurthest);
  std::vector<Point> at(static_cast<std::size_t>(world));
  double upper = area.center().y - (bands * (height + kBetween) - kBetween - card.height) / 2;
  for (const StageChains& row : rows) {
    std::size_t columns = 0;
    for (const auto& chain : row) columns += columns_of(chain);
    const double pitch = area.width / static_cast<double>(columns);
    double left = area.x;
    for (const auto& chain : row) {
      const std::size_t above = columns_of(chain), below = chain.size() - above;
      for (std::size_t i = 0; i < chain.size(); ++i) {
        const bool top = i < above;
        const double inset = top ? 0 : pitch * static_cast<double>(above - below) / 2;
        const auto column = static_cast<double>(top ? i : chain.size() - 1 - i);
        at[static_cast<std::size_t>(chain[i])] = {left + inset + (column + 0.5) * pitch,
                                                  top ? upper : upper + height - card.height};
      }
      left += pitch * static_cast<double>(above);
    }
    upper += height + kBetween;
  }
  return at;
}

}  // namespace rankscope
