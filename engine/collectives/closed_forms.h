// The closed forms of rounds and bytes, for the rows of registry.cpp. Tests compare them with events.
#pragma once

#include <algorithm>
#include <array>

#include "engine/collectives/algorithm.h"
#include "engine/collectives/double_tree.h"
#include "engine/collectives/groups.h"
#include "engine/collectives/pat.h"
#include "engine/collectives/pipeline.h"
#include "engine/collectives/radix.h"
#include "engine/collectives/range_tree.h"
#include "engine/core/base/ranges.h"

namespace rankscope::closed_forms {

using In = ClosedFormInput;

// ---- Rounds -------------------------------------------------------------------------------------

inline std::int64_t segments_of(const In& in, Count count, std::uint64_t default_bytes) {
  return segments(count, in.dtype, or_default(in.segment_bytes, default_bytes)).parts();
}

inline std::int64_t two_if_many(const In& in) { return in.n > 1 ? 2 : 0; }
inline std::int64_t one_if_many(const In& in) { return in.n > 1 ? 1 : 0; }
inline std::int64_t others(const In& in) { return in.n - 1; }
inline std::int64_t twice_others(const In& in) { return 2 * (in.n - 1); }
inline std::int64_t log_rounds(const In& in) { return ceil_log2(in.n); }
inline std::int64_t twice_log(const In& in) { return 2 * ceil_log2(in.n); }
inline std::int64_t log_and_others(const In& in) { return ceil_log2(in.n) + in.n - 1; }
inline std::int64_t chain(const In& in) {
  return in.n > 1 ? in.n - 2 + segments_of(in, in.shape.count(), kChainSegmentBytes) : 0;
}
inline std::int64_t ring_segments(const In& in) {
  const Count longest = Partition(in.shape.count(), in.n).longest();
  return 2 * (in.n - 1) * segments_of(in, longest, kRingSegmentBytes);
}
inline std::int64_t both_trees(const In& in, Rank root,
                               const std::vector<TreeDirection>& directions) {
  if (in.n == 1) return 0;
  const Partition part = double_tree_segments(in.shape.count(), in.dtype, in.segment_bytes);
  return double_tree_rounds(DoubleTree(in.n, root), part.parts(), directions);
}
inline std::int64_t down_both_trees(const In& in) {
  return both_trees(in, in.root, {TreeDirection::down});
}
inline std::int64_t along_both_trees(const In& in) {
  return both_trees(in, 0, {TreeDirection::up, TreeDirection::down});
}
inline std::int64_t trees_of(const In& in, Count block) {
  const auto bytes = static_cast<std::uint64_t>(block) * dtype_size(in.dtype);
  return pat_rounds(in.n,
                    pat_aggregation(in.n, bytes, or_default(in.segment_bytes, kPatMessageBytes)));
}
inline std::int64_t trees_of_blocks(const In& in) { return trees_of(in, in.shape.count()); }
inline std::int64_t trees_of_chunks(const In& in) {
  return trees_of(in, Partition(in.shape.count(), in.n).longest());
}
inline std::int64_t folded(int n, int times) {
  return times * floor_log2(n) + (is_power_of_two(n) ? 0 : 2);
}
inline std::int64_t folded_log(const In& in) { return folded(in.n, 1); }
inline std::int64_t folded_twice_log(const In& in) { return folded(in.n, 2); }
inline std::int64_t knomial(const In& in) {
  return knomial_rounds(in.n, radix_or_default(in.radix));
}
inline std::int64_t multiplying(const In& in) {
  const auto factors = exchange_factors(in.n, radix_or_default(in.radix));
  std::int64_t rounds = product_of(factors) == in.n ? 0 : 2;
  for (const int factor : factors) rounds += factor - 1;
  return rounds;
}
inline std::int64_t in_turn(const In& in) { return std::max(0, 2 * in.n - 3); }
inline std::int64_t hierarchy(const In& in) {
  const int g = group_size(in.n, in.group_size);
  return 2 * ceil_log2(g) + folded((in.n + g - 1) / g, 1);
}

inline std::int64_t two_levels(const In& in) {
  const WholeGroups groups(in.n, in.group_size);
  return 2 * (groups.size() - 1) + 2 * (groups.groups() - 1) + (groups.has_surplus() ? 2 : 0);
}
inline std::int64_t two_exchanges(const In& in) {
  const int g = equal_group_size(in.n, in.group_size);
  return g - 1 + in.n / g - 1;
}

// ---- Bytes of the busiest rank: exact, also where chunks differ by one element ------------------

inline std::uint64_t bytes(const In& in, Count elements) {
  return static_cast<std::uint64_t>(elements) * dtype_size(in.dtype);
}
// D where a rank passes in all of it, and the part of each rank in it.
inline std::uint64_t data(const In& in) { return bytes(in, in.shape.count()); }
inline Partition chunks(const In& in) { return {in.shape.count(), in.n}; }

inline std::uint64_t no_bytes(const In&) { return 0; }
inline std::uint64_t once(const In& in) { return in.n > 1 ? data(in) : 0; }
inline std::uint64_t times(const In& in, int factor) {
  return static_cast<std::uint64_t>(factor) * data(in);
}
inline std::uint64_t to_others(const In& in) { return times(in, in.n - 1); }
inline std::uint64_t all_to_others(const In& in) {
  return static_cast<std::uint64_t>(in.n) * to_others(in);
}
inline std::uint64_t log_times(const In& in) { return times(in, ceil_log2(in.n)); }
inline std::uint64_t all_but_own(const In& in, Rank rank) {
  return bytes(in, in.shape.count() - chunks(in)[rank].count);
}
// The last chunk is a shortest one.
inline std::uint64_t all_but_shortest(const In& in) { return all_but_own(in, in.n - 1); }
inline std::uint64_t all_but_roots(const In& in) { return all_but_own(in, in.root); }

// Twice around a ring, a rank sends all chunks but two neighbours: the last two are the shortest.
inline Count twice_around(Count count, int n) {
  return n > 1 ? 2 * count - Partition(count, n).span(n - 2, n).count : 0;
}
inline std::uint64_t ring_twice(const In& in) {
  return bytes(in, twice_around(in.shape.count(), in.n));
}
inline std::uint64_t buckets(const In& in) {
  const Count count = in.shape.count();
  const Partition buckets = bucket_partition(count, in.dtype, in.segment_bytes);
  const Count longer = count % buckets.parts(), shorter = buckets.parts() - longer;
  return bytes(in, longer * twice_around(buckets[0].count, in.n) +
                       shorter * twice_around(buckets[buckets.parts() - 1].count, in.n));
}

// What each rank sends down (or up) the binomial tree, `weight` elements to (or from) each child,
// after the `before` elements that it sends anyway.
template <class Weight, class Before>
inline std::uint64_t along_tree(const In& in, bool down, Weight weight, Before before) {
  std::vector<Count> sent(static_cast<std::size_t>(in.n));
  for (Rank rank = 0; rank < in.n; ++rank) sent[static_cast<std::size_t>(rank)] = before(rank);
  for (const auto& [parent, child] : binomial_edges(in.n, in.root))
    sent[static_cast<std::size_t>(down ? parent : child.rank)] += weight(child);
  return bytes(in, *ranges::max_element(sent));
}
inline constexpr auto kNothingBefore = [](Rank) { return Count{0}; };

inline std::uint64_t tree_down(const In& in) {
  return along_tree(
      in, true, [&](const auto&) { return in.shape.count(); }, kNothingBefore);
}
inline std::uint64_t knomial_down(const In& in) {
  std::vector<int> sends(static_cast<std::size_t>(in.n));
  for (const auto& edge : knomial_edges(in.n, in.root, in.radix))
    ++sends[static_cast<std::size_t>(edge.first)];
  return times(in, *ranges::max_element(sends));
}
inline auto subtree_chunks(const In& in) {
  return
      [part = chunks(in)](const auto& child) { return part.span(child.first, child.last).count; };
}
inline std::uint64_t scatter_tree(const In& in) {
  return along_tree(in, true, subtree_chunks(in), kNothingBefore);
}
inline std::uint64_t gather_tree(const In& in) {
  const auto blocks = [&](const auto& child) {
    return (child.last - child.first) * in.shape.count();
  };
  return along_tree(in, false, blocks, kNothingBefore);
}
// An allgather around the ring sends all but the next rank's chunk, a reduce-scatter all but the own.
inline std::uint64_t scatter_and_ring(const In& in) {
  const auto ring = [&, part = chunks(in)](Rank rank) {
    return in.shape.count() - part[wrap(rank + 1, in.n)].count;
  };
  return along_tree(in, true, subtree_chunks(in), ring);
}
inline std::uint64_t ring_and_gather(const In& in) {
  const auto ring = [&, part = chunks(in)](Rank rank) {
    return in.shape.count() - part[rank].count;
  };
  return along_tree(in, false, subtree_chunks(in), ring);
}

// A rank sends all chunks but its own, and its own to all others: rank 0 has a longest one.
inline std::uint64_t two_shot(const In& in) {
  return in.n > 1 ? bytes(in, in.shape.count() + (in.n - 2) * chunks(in).longest()) : 0;
}

inline std::uint64_t halving(const In& in) {
  return is_power_of_two(in.n) ? all_but_shortest(in) : data(in);
}
// Participant 0 has the longest runs of chunks, and carries for a rank if any does.
inline std::uint64_t rabenseifner(const In& in) {
  const int p = 1 << floor_log2(in.n);
  if (p == 1) return 0;
  const Partition part(in.shape.count(), p);
  Count sent = in.shape.count() * (p == in.n ? 1 : 2);
  for (int length = 2; length < p; length *= 2) sent += part.span(0, length).count;
  return bytes(in, sent);
}
// Rank 0 sends what its group of participants has, and in the end all of it to whom it carries for.
inline std::uint64_t doubling(const In& in) {
  const int p = 1 << floor_log2(in.n), surplus = in.n - p;
  Count blocks = surplus > 0 ? in.n : 0;
  for (int length = 1; length < p; length *= 2) blocks += length + std::min(length, surplus);
  return bytes(in, blocks * in.shape.count());
}
// A rank that carries sends the result, too: as often as there are rounds, without the fold in.
inline std::uint64_t multiplying_bytes(const In& in) {
  const auto rounds = static_cast<int>(multiplying(in));
  const bool folds = product_of(exchange_factors(in.n, radix_or_default(in.radix))) < in.n;
  return times(in, rounds - (folds ? 1 : 0));
}
inline std::uint64_t hierarchy_bytes(const In& in) {
  const int g = group_size(in.n, in.group_size);
  return times(in, ceil_log2(g) + ceil_log2((in.n + g - 1) / g));
}

// In its group a rank sends all chunks but its own, then all but the next one; of its own chunk, the same with pieces.
inline std::uint64_t two_level_bytes(const In& in) {
  const WholeGroups groups(in.n, in.group_size);
  const int g = groups.size(), all = groups.groups();
  const Partition chunks(in.shape.count(), g);
  Count most = 0;
  for (Rank rank = 0; rank < all * g; ++rank) {
    const Count own = chunks[rank % g].count;
    const Partition pieces(own, all);
    const Count sent = 2 * chunks.count() - own - chunks[(rank + 1) % g].count + 2 * own -
                       pieces[rank / g].count - pieces[(rank / g + 1) % all].count;
    most = std::max(most, sent + (groups.carries(rank) ? chunks.count() : 0));
  }
  return std::max(bytes(in, most), groups.has_surplus() ? data(in) : 0);
}
// Rank 0 is the root; the others send half of the segments up, and those of the tree in which they have children down to
// each of these.
inline std::uint64_t both_trees_bytes(const In& in, Rank root, bool reduces) {
  if (in.n == 1) return 0;
  const Partition part = double_tree_segments(in.shape.count(), in.dtype, in.segment_bytes);
  std::array<Count, DoubleTree::kTrees> along{};
  for (int k = 0; k < part.parts(); ++k)
    along[static_cast<std::size_t>(k % DoubleTree::kTrees)] += part[k].count;
  const DoubleTree trees(in.n, root);
  Count most = 0;
  for (Rank rank = 0; rank < in.n; ++rank) {
    Count sent = 0;
    for (int tree = 0; tree < DoubleTree::kTrees; ++tree) {
      const auto& place = trees.at(tree, rank);
      const auto copies =
          static_cast<Count>(place.children.size()) + (reduces && place.parent >= 0 ? 1 : 0);
      sent += copies * along[static_cast<std::size_t>(tree)];
    }
    most = std::max(most, sent);
  }
  return bytes(in, most);
}
inline std::uint64_t down_both_trees_bytes(const In& in) {
  return both_trees_bytes(in, in.root, false);
}
inline std::uint64_t along_both_trees_bytes(const In& in) { return both_trees_bytes(in, 0, true); }

// Of an all-to-all: elements at one position of the dimension that is cut.
inline Count slab(const In& in) {
  return in.shape.outer(in.scatter_dim) * in.shape.inner(in.scatter_dim);
}
inline Partition cut(const In& in) { return {in.shape[in.scatter_dim], in.n}; }
inline std::uint64_t all_but_shortest_block(const In& in) {
  const Partition part = cut(in);
  return bytes(in, slab(in) * (part.count() - part[in.n - 1].count));
}
// The block for the rank d further on is sent once for each slot that ends there: as many as the
// lowest bit of d says, as far as there are slots. A rank sends most that has most of the longer
// blocks where there are many slots.
inline std::uint64_t bruck_alltoall(const In& in) {
  const int n = in.n;
  const auto slots = [n](int d) { return d == 0 ? 0 : std::min(d & -d, n - d); };
  const Partition part = cut(in);
  const Count each = part[n - 1].count;
  const auto longer = static_cast<int>(part.count() % n);
  Count all = 0, here = 0;  // here: of the longer blocks, seen from rank 0
  for (int d = 0; d < n; ++d) all += slots(d);
  for (int d = 0; d < longer; ++d) here += slots(d);
  Count most = here;
  for (Rank rank = 1; rank < n; ++rank) {  // the ranks with longer blocks come one step nearer
    here += slots(wrap(-rank, n)) - slots(wrap(longer - rank, n));
    most = std::max(most, here);
  }
  return bytes(in, slab(in) * (all * each + most));
}

// In its group a rank sends all blocks but those for its own place, then those of its group for that place.
inline std::uint64_t two_exchanges_bytes(const In& in) {
  const int g = equal_group_size(in.n, in.group_size);
  const Partition part = cut(in);
  Count most = 0;
  for (int place = 0; place < g; ++place) {
    Count own = 0, shortest = part.longest();
    for (Rank rank = place; rank < in.n; rank += g) {
      own += part[rank].count;
      shortest = std::min(shortest, part[rank].count);
    }
    most = std::max(most, part.count() - own + g * (own - shortest));
  }
  return bytes(in, slab(in) * most);
}

}  // namespace rankscope::closed_forms
