// Spanning trees over ranks.
#pragma once

#include <utility>
#include <vector>

#include "engine/core/message/communicator.h"

namespace rankscope {

/// One rank's place in a tree that comes from cutting the range of ranks in two, again and again:
/// the root of a range sends to a head in the part that it is not in, and both go on with their own
/// part. Depth ceil(log2 n). Every subtree is a run of consecutive ranks, whatever the root.
struct RangeTree {
  struct Child {
    Rank rank;
    int first, last;  ///< The child's subtree is ranks first .. last-1.
  };
  Rank parent = -1;  ///< -1: the root.
  int first = 0, last = 0;
  std::vector<Child> children;  ///< Largest subtree first: the order of a broadcast.
};

/// Cuts at the largest power of two below the length; the head is the first rank of its part. With
/// root 0 this is the binomial tree.
RangeTree binomial_tree(const Communicator& comm, Rank root);
/// Cuts in the middle; the head is the far end of its part (Chan et al. 2007, MST: the
/// minimum-spanning tree algorithms).
RangeTree halving_tree(const Communicator& comm, Rank root);

/// Returns the tree of cuts into more than two parts: cuts into parts of the largest power of the radix below the
/// length; the root sends to the first rank of each other part, the last part first. 0: the default radix. A radix of 2
/// gives binomial_tree.
RangeTree knomial_tree(const Communicator& comm, Rank root, int radix);
/// Returns the edges of that tree on n ranks: each parent with each of its children.
std::vector<std::pair<Rank, RangeTree::Child>> knomial_edges(int n, Rank root, int radix);

}  // namespace rankscope
