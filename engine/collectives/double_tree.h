// Two binary trees over all ranks, in which no rank but the root has children twice, and the steps of both at once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/collectives/pipeline.h"

namespace rankscope {

/// Sanders, Speck, Träff (2009). The ranks behind the root are numbered 1 .. N-1. In the first tree, number v with
/// lowest bit b has the children v - b/2 and v + b/2 (or the nearest number below that there is): odd numbers are
/// leaves. The second tree is the first one mirrored (v to N - v) where N is odd, or else moved by one, so that even
/// numbers are leaves. The root sends to the top of each.
///
/// Edges have two colours: those by which a rank gets data in both trees differ, and so do those by which a rank gives
/// data. In even steps the edges of one colour are used, in odd steps those of the other: no rank sends or receives two
/// messages in a step.
class DoubleTree {
 public:
  static constexpr int kTrees = 2;
  struct Place {
    Rank parent = -1;  ///< -1: the root.
    std::vector<Rank> children;
    int colour = -1;  ///< Colour of the edge to the parent, 0 or 1.
    int first_step =
        0;  ///< When the parent has the first segment for it, if the root begins at step 0.
  };

  DoubleTree(int n, Rank root);

  int ranks() const noexcept { return static_cast<int>(places_[0].size()); }
  const Place& at(int tree, Rank rank) const noexcept {
    return places_[static_cast<std::size_t>(tree)][static_cast<std::size_t>(rank)];
  }
  int last_first_step() const noexcept { return last_first_step_; }

 private:
  Place& place(int tree, Rank rank) {
    return places_[static_cast<std::size_t>(tree)][static_cast<std::size_t>(rank)];
  }
  void connect(int tree, Rank root);
  void colour_edges(Rank root);
  void find_first_steps(int tree, Rank root);

  std::array<std::vector<Place>, kTrees> places_;
  int last_first_step_ = 0;
};

/// Cuts data into segments, two at least, so that both trees have work: segment k goes along tree k mod 2.
inline Partition double_tree_segments(Count count, DType dtype, std::uint64_t segment_bytes) {
  const int parts = segments(count, dtype, or_default(segment_bytes, kChainSegmentBytes)).parts();
  return {count, std::max(parts, DoubleTree::kTrees)};
}

enum class TreeDirection : std::uint8_t { up, down };
/// One message of a rank: a segment that goes up to a parent, which adds it, or down to a child.
struct TreeMove {
  bool sends = false;
  Rank peer = 0;
  int segment = 0;
};
/// Returns all moves of a rank in its order: in a broadcast from the root (down), or in a reduction to it (up), which
/// is the broadcast backwards.
std::vector<TreeMove> double_tree_moves(const DoubleTree& trees, Rank rank, int segments,
                                        TreeDirection direction);

/// Returns the rounds (engine/core/trace/README.md) of all ranks' moves in these directions, one after the other.
std::int64_t double_tree_rounds(const DoubleTree& trees, int segments,
                                const std::vector<TreeDirection>& directions);

}  // namespace rankscope
