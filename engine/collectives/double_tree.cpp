// Builds both trees, colours their edges, and lists what each rank does at which step.
#include "engine/collectives/double_tree.h"

#include <utility>

namespace rankscope {
namespace {

// Returns the parent of v in the first tree, over 1 .. last; 0 is the root.
int parent_number(int v, int last) {
  const int bit = v & -v, up = (v ^ bit) | (2 * bit);
  return up <= last ? up : v ^ bit;
}

/// When which segment goes along which edge.
class Timetable {
 public:
  Timetable(const DoubleTree& trees, int segments, TreeDirection direction)
      : trees_(trees), segments_(segments), up_(direction == TreeDirection::up) {}

  int steps() const noexcept { return trees_.last_first_step() + segments_; }
  /// Calls `move` for what a rank sends, or receives, in a step: nothing or one message.
  template <class Move>
  void moves(Rank rank, int step, bool sends, Move move) const {
    for (int tree = 0; tree < DoubleTree::kTrees; ++tree) {
      const auto& place = trees_.at(tree, rank);
      if (up_ == sends) {  // along the edge to the parent
        const int k = segment(tree, rank, step);
        if (place.parent >= 0 && k >= 0) move(TreeMove{sends, place.parent, k});
      } else {
        for (const Rank child : place.children)
          if (const int k = segment(tree, child, step); k >= 0) move(TreeMove{sends, child, k});
      }
    }
  }

 private:
  // The segment on the edge between `child` and its parent; -1 for none in this step.
  int segment(int tree, Rank child, int step) const {
    const int first = trees_.at(tree, child).first_step;
    const int since = step - (up_ ? trees_.last_first_step() - first : first), k = since + tree;
    return since >= 0 && since % DoubleTree::kTrees == 0 && k < segments_ ? k : -1;
  }

  const DoubleTree& trees_;
  int segments_;
  bool up_;
};

}  // namespace

DoubleTree::DoubleTree(int n, Rank root) {
  for (auto& places : places_) places.resize(static_cast<std::size_t>(n));
  for (int tree = 0; tree < kTrees; ++tree) connect(tree, root);
  colour_edges(root);
  for (int tree = 0; tree < kTrees; ++tree) find_first_steps(tree, root);
}

void DoubleTree::connect(int tree, Rank root) {
  const int n = ranks(), last = n - 1;
  // From the first tree's numbers to this one's ranks.
  const auto rank_of = [&](int v) {
    if (tree > 0 && v > 0) v = last % 2 == 0 ? n - v : v % last + 1;
    return wrap(root + v, n);
  };
  for (int v = 1; v <= last; ++v) {
    const Rank rank = rank_of(v), parent = rank_of(parent_number(v, last));
    place(tree, rank).parent = parent;
    place(tree, parent).children.push_back(rank);
  }
}

// An edge is named by its tree and its lower end. Its neighbours are the other tree's edge to the same rank, and that
// to another child of its parent (of the root: in the other tree). All cycles are even.
void DoubleTree::colour_edges(Rank root) {
  std::vector<std::pair<int, Rank>> open;
  const auto give = [&](int tree, Rank rank, int colour) {
    if (place(tree, rank).colour >= 0) return;
    place(tree, rank).colour = colour;
    open.emplace_back(tree, rank);
  };
  const auto spread = [&] {
    while (!open.empty()) {
      const auto [tree, rank] = open.back();
      open.pop_back();
      const int other = 1 - place(tree, rank).colour;
      give(1 - tree, rank, other);
      for (int t = 0; t < kTrees; ++t)
        for (const Rank sibling : place(t, place(tree, rank).parent).children)
          if (sibling != rank || t != tree) give(t, sibling, other);
    }
  };
  for (int tree = 0; tree < kTrees; ++tree)
    for (const Rank top : place(tree, root).children) give(tree, top, tree);
  spread();
  for (int tree = 0; tree < kTrees; ++tree)
    for (Rank rank = 0; rank < ranks(); ++rank) {
      if (rank != root) give(tree, rank, 0);
      spread();
    }
}

void DoubleTree::find_first_steps(int tree, Rank root) {
  std::vector<Rank> open{root};
  while (!open.empty()) {
    const Rank parent = open.back();
    open.pop_back();
    for (const Rank child : place(tree, parent).children) {
      const int earliest = parent == root ? 0 : place(tree, parent).first_step + 1;
      auto& below = place(tree, child);
      below.first_step = earliest + (earliest + below.colour) % 2;
      last_first_step_ = std::max(last_first_step_, below.first_step);
      open.push_back(child);
    }
  }
}

std::vector<TreeMove> double_tree_moves(const DoubleTree& trees, Rank rank, int segments,
                                        TreeDirection direction) {
  const Timetable timetable(trees, segments, direction);
  std::vector<TreeMove> moves;
  for (int step = 0; step < timetable.steps(); ++step)
    for (const bool sends : {true, false})
      timetable.moves(rank, step, sends, [&](const TreeMove& move) { moves.push_back(move); });
  return moves;
}

// A message's round follows those of its sender's last send, of all that its sender has received, and of the last
// message to its receiver.
std::int64_t double_tree_rounds(const DoubleTree& trees, int segments,
                                const std::vector<TreeDirection>& directions) {
  const auto n = static_cast<std::size_t>(trees.ranks());
  std::vector<std::int64_t> sent(n), has(n), taken(n);
  std::int64_t most = 0;
  for (const TreeDirection direction : directions) {
    const Timetable timetable(trees, segments, direction);
    for (int step = 0; step < timetable.steps(); ++step) {
      for (Rank rank = 0; rank < trees.ranks(); ++rank)
        timetable.moves(rank, step, true, [&](const TreeMove& move) {
          auto &own = sent[static_cast<std::size_t>(rank)],
               &peer = taken[static_cast<std::size_t>(move.peer)];
          own = peer = 1 + std::max({own, peer, has[static_cast<std::size_t>(rank)]});
          most = std::max(most, own);
        });
      has = taken;  // what is sent in a step is received in it
    }
  }
  return most;
}

}  // namespace rankscope
