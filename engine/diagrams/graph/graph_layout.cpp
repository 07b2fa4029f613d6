// Recognises rings, trees, hypercubes, grids and stars, and places their nodes.
#include "engine/diagrams/graph/graph_layout.h"

#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include "engine/core/base/error.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"
#include "engine/network/families/generators.h"

namespace rankscope {
namespace {

constexpr double kSpacing = 120;
constexpr int kWidestFan = 9;  // nodes of a tree of one level, before it becomes a star

// Neighbours on a circle are so far apart that a label fits between two nodes, as long as there are
// few.
double spacing(int nodes) noexcept { return nodes <= 16 ? kSpacing : nodes <= 32 ? 88 : 64; }
double radius(int nodes) noexcept { return nodes <= 16 ? 22 : nodes <= 32 ? 18 : 15; }

bool neighbours_only(int n, const Links& links) {
  return ranges::all_of(links, [n](const auto& link) {
    return wrap(link.first - link.second, n) == 1 || wrap(link.second - link.first, n) == 1;
  });
}

// ---- Trees --------------------------------------------------------------------------------------

struct Tree {
  int root = 0;
  std::vector<std::vector<int>> children;
  int depth = 0;
};

// Returns the only node that no link's first message leads to or, failing that, away from; else 0.
int root_of(int n, const Links& first) {
  std::vector<int> in(static_cast<std::size_t>(n)), out(in);
  for (const auto& [from, to] : first) {
    ++out[static_cast<std::size_t>(from)];
    ++in[static_cast<std::size_t>(to)];
  }
  for (const auto& none : {in, out})
    if (ranges::count(none, 0) == 1) return static_cast<int>(ranges::find(none, 0) - none.begin());
  return 0;
}

std::optional<Tree> tree_of(int n, const Links& links) {
  Links first;  // each pair once, in the direction of its first message
  std::set<std::pair<int, int>> seen;
  for (const auto& [from, to] : links)
    if (seen.insert(std::minmax({from, to})).second) first.emplace_back(from, to);
  if (n < 3 || static_cast<int>(first.size()) != n - 1) return std::nullopt;
  std::vector<std::vector<int>> beside(static_cast<std::size_t>(n));
  for (const auto& [from, to] : first) {
    beside[static_cast<std::size_t>(from)].push_back(to);
    beside[static_cast<std::size_t>(to)].push_back(from);
  }
  Tree tree{root_of(n, first), std::vector<std::vector<int>>(beside.size()), 0};
  std::vector<int> level(beside.size(), -1), reached{tree.root};
  level[static_cast<std::size_t>(tree.root)] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto node = static_cast<std::size_t>(reached[i]);
    for (const int next : beside[node]) {
      auto& of_next = level[static_cast<std::size_t>(next)];
      if (of_next >= 0) continue;
      of_next = level[node] + 1;
      tree.depth = std::max(tree.depth, of_next);
      tree.children[node].push_back(next);
      reached.push_back(next);
    }
  }
  if (static_cast<int>(reached.size()) != n) return std::nullopt;  // two parts, one with a cycle
  for (auto& list : tree.children) ranges::sort(list);
  return tree;
}

// Arrows both ways need more room.
double tree_step(int n, const Links& links) {
  const bool both_ways = static_cast<int>(links.size()) > n - 1;
  if (n <= 16) return both_ways ? 112 : 88;
  return both_ways ? 80 : 56;
}

// Leaves stand side by side, a parent over the middle of its children.
class TreePositions {
 public:
  TreePositions(const Tree& tree, double step) : tree_(tree), step_(step) {
    at.resize(tree.children.size());
    put(tree.root, 0);
  }
  std::vector<Point> at;

 private:
  double put(int node, int level) {
    const auto& children = tree_.children[static_cast<std::size_t>(node)];
    double x = 0;
    if (children.empty()) {
      x = next_;
      next_ += step_;
    } else {
      const double first = put(children.front(), level + 1);
      double last = first;
      for (std::size_t i = 1; i < children.size(); ++i) last = put(children[i], level + 1);
      x = (first + last) / 2;
    }
    at[static_cast<std::size_t>(node)] = {x, level * kSpacing};
    return x;
  }
  const Tree& tree_;
  double step_, next_ = 0;
};

// ---- Positions ----------------------------------------------------------------------------------

std::vector<Point> circle(int n, double step) {
  if (n == 2) return {{0, 0}, {1.5 * kSpacing, 0}};
  std::vector<Point> at;
  for (int i = 0; i < n; ++i) {
    const auto [x, y] = on_circle(i, n, std::max(step, 240 * std::sin(std::numbers::pi / n)));
    at.push_back({x, y});
  }
  return at;
}

std::vector<Point> star(int n, int middle) {
  auto at = circle(n - 1, n - 1 <= 32 ? 88 : 56);
  at.insert(at.begin() + middle, Point());
  return at;
}

// Bits 0 and 1 choose the corner, bits 2 and 3 the square, both in Gray order, so that as many
// partners as can be stand next to each other.
std::vector<Point> hypercube(int n) {
  static constexpr Point kCorners[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  static constexpr int kGrayOrder[] = {0, 1, 3, 2};
  const int squares = n / 4;
  std::vector<Point> at;
  for (int i = 0; i < n; ++i) {
    const double half = 80 + 88.0 * (squares - 1 - kGrayOrder[i / 4]);
    const Point corner = kCorners[kGrayOrder[i % 4]];
    at.push_back({half * corner.x, half * corner.y});
  }
  return at;
}

// Number of columns of a grid in which all messages stay within rows and columns, and use both; 0 if there is none.
int columns_of(int n, const Links& links) {
  for (int columns = static_cast<int>(std::lround(std::ceil(std::sqrt(n)))); columns < n;
       ++columns) {
    if (n % columns != 0) continue;
    int in_row = 0, in_column = 0;
    for (const auto& [from, to] : links) {
      in_row += from / columns == to / columns ? 1 : 0;
      in_column += from % columns == to % columns ? 1 : 0;
    }
    if (in_row > 0 && in_column > 0 && in_row + in_column == static_cast<int>(links.size()))
      return columns;
  }
  return 0;
}

std::vector<Point> grid(int n, int columns) {
  std::vector<Point> at;
  for (int i = 0; i < n; ++i)
    at.push_back({(i % columns) * kSpacing, static_cast<double>(i / columns) * kSpacing});
  return at;
}

GraphLayout choose(int n, const Links& links, const std::optional<Tree>& tree) {
  if (n < 3 || links.empty() || neighbours_only(n, links)) return GraphLayout::ring;
  if (tree) return tree->depth == 1 && n > kWidestFan ? GraphLayout::star : GraphLayout::tree;
  if (n <= 16 && is_hypercube(n, links)) return GraphLayout::hypercube;
  if (n > 4 && columns_of(n, links) > 0) return GraphLayout::grid;
  return GraphLayout::ring;
}

[[noreturn]] void impossible(GraphLayout wanted, std::string_view why) {
  throw UserError(
      fmt::format("the messages cannot be drawn as a {}: {}; let the layout be chosen "
                  "automatically, or take ring",
                  to_string(wanted), why));
}

}  // namespace

Links links_between(const Rounds& rounds, const RankBins& bins) {
  std::map<std::pair<int, int>, int> first;
  for (std::size_t i = 0; i < rounds.messages.size(); ++i) {
    const MessageRecord& message = rounds.messages[i];
    const std::pair ends(bins.of(message.from), bins.of(message.to));
    if (message.sync || ends.first == ends.second) continue;
    int& round = first.emplace(ends, rounds.round[i]).first->second;
    round = std::min(round, rounds.round[i]);
  }
  Links links;
  for (const auto& [ends, round] : first) links.push_back(ends);
  ranges::stable_sort(links, {}, [&](const auto& ends) { return first.at(ends); });
  return links;
}

bool is_hypercube(int n, const Links& links) {
  if (n < 4 || !std::has_single_bit(static_cast<unsigned>(n))) return false;
  std::set<std::pair<int, int>> pairs;
  for (const auto& [from, to] : links) {
    if (!std::has_single_bit(static_cast<unsigned>(from ^ to))) return false;
    pairs.insert(std::minmax({from, to}));
  }
  return static_cast<int>(pairs.size()) == n * floor_log2(n) / 2;
}

std::string_view to_string(GraphLayout layout) noexcept {
  static constexpr std::string_view kNames[] = {"automatic", "ring",      "tree",
                                                "star",      "hypercube", "grid"};
  return kNames[static_cast<std::size_t>(layout)];
}

GraphShape graph_shape(int n, const Links& links, GraphLayout wanted) {
  const auto tree = tree_of(n, links);
  GraphShape shape;
  shape.layout = wanted == GraphLayout::automatic ? choose(n, links, tree) : wanted;
  shape.radius = radius(n);
  switch (shape.layout) {
    case GraphLayout::tree:
    case GraphLayout::star:
      if (!tree) impossible(wanted, "they do not form a tree");
      shape.at = shape.layout == GraphLayout::tree ? TreePositions(*tree, tree_step(n, links)).at
                                                   : star(n, tree->root);
      break;
    case GraphLayout::hypercube:
      if (n != 4 && n != 8 && n != 16) impossible(wanted, "that takes 4, 8 or 16 ranks");
      shape.at = hypercube(n);
      break;
    case GraphLayout::grid: {
      int columns = columns_of(n, links);
      if (columns == 0) columns = static_cast<int>(std::ceil(std::sqrt(n)));
      shape.at = grid(n, columns);
      break;
    }
    default: shape.layout = GraphLayout::ring; shape.at = circle(n, spacing(n));
  }
  return shape;
}

}  // namespace rankscope
