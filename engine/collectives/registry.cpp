// The table of the built-in algorithms, and the closed forms of their rounds and bytes.
#include <algorithm>
#include <array>

#include "engine/collectives/algorithm.h"
#include "engine/collectives/algorithms.h"
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
// The bytes of one rank's input: D, or one rank's part of it where D counts the data of all ranks.
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

// The elements that each rank sends down (or up) the binomial tree, `weight` elements to (or from) each child,
// after the `before` elements that it sends anyway.
template <class Weight, class Before>
inline std::uint64_t along_tree(const In& in, bool down, Weight weight, Before before) {
  std::vector<Count> sent(static_cast<std::size_t>(in.n));
  for (Rank rank = 0; rank < in.n; ++rank) sent[static_cast<std::size_t>(rank)] = before(rank);
  for (const auto& [parent, child] : knomial_edges(in.n, in.root, 2))
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
// A rank sends the segments of a tree to each of its children there and, in a reduction, also to its parent.
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

// Elements of an all-to-all at one position of the dimension that is cut.
inline Count slab(const In& in) {
  return in.shape.outer(in.scatter_dim) * in.shape.inner(in.scatter_dim);
}
inline Partition cut(const In& in) { return {in.shape[in.scatter_dim], in.n}; }
inline std::uint64_t all_but_shortest_block(const In& in) {
  const Partition part = cut(in);
  return bytes(in, slab(in) * (part.count() - part[in.n - 1].count));
}
// The block for the rank d further on is sent once for each slot that ends there: as many as the
// lowest bit of d says, as far as there are slots. The busiest rank is the one whose longer
// blocks have the most slots.
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

namespace rankscope {
namespace {

using namespace closed_forms;  // NOLINT: a column of the table each
using enum Collective;
constexpr AlgorithmFeatures kSegments{.takes_segments = true}, kGroups{.takes_group_size = true},
    kRadix{.takes_radix = true}, kRing{.takes_direction = true},
    kRingSegments{.takes_segments = true, .takes_direction = true},
    kInNetwork{.takes_segments = true, .in_network = true};
constexpr Algorithm kAlgorithms[] = {
    {"p2p.ping", p2p, p2p_ping, "ping-pong", "measuring latency and bandwidth of one link",
     "Hockney 1994", two_if_many, once},
    {"p2p.sendrecv", p2p_shift, p2p_sendrecv, "neighbour exchange", "all links of a ring at once",
     "MPI standard, Send-Receive", one_if_many, once},

    {"barrier.dissemination", barrier, barrier_dissemination, "dissemination barrier",
     "any number of ranks", "Hensgen, Finkel, Manber 1988", log_rounds, no_bytes},
    {"barrier.flat", barrier, barrier_flat, "flat barrier", "ranks that share processors", "",
     twice_others, no_bytes},

    {"broadcast.flat", broadcast, broadcast_flat, "flat broadcast", "two or three ranks", "",
     others, to_others},
    {"broadcast.binomial", broadcast, broadcast_binomial, "binomial-tree broadcast",
     "small messages", "Thakur, Rabenseifner, Gropp 2005: Broadcast", log_rounds, tree_down},
    {"broadcast.knomial", broadcast, broadcast_knomial, "k-nomial-tree broadcast",
     "small messages, several sends at once", "Wilkins et al. 2023: k-nomial trees", knomial,
     knomial_down, kRadix},
    {"broadcast.scatter_allgather", broadcast, broadcast_scatter_allgather,
     "scatter + allgather broadcast", "large messages",
     "Chan, Heimlich, Purkayastha, van de Geijn 2007: long vectors", log_and_others,
     scatter_and_ring},
    {"broadcast.chain", broadcast, broadcast_chain, "pipelined chain broadcast",
     "very large messages", "Patarasuk, Faraj, Yuan 2006", chain, once, kSegments},

    {"broadcast.double_tree", broadcast, broadcast_double_tree, "double-binary-tree broadcast",
     "large messages, many ranks", "Sanders, Speck, Träff 2009", down_both_trees,
     down_both_trees_bytes, kSegments},

    {"reduce.flat", reduce, reduce_flat, "flat reduce", "two or three ranks", "", others, once},
    {"reduce.binomial", reduce, reduce_binomial, "binomial-tree reduce", "small messages",
     "Thakur, Rabenseifner, Gropp 2005: Reduce and Allreduce", log_rounds, once},
    {"reduce.knomial", reduce, reduce_knomial, "k-nomial-tree reduce",
     "small messages, several sends at once", "Wilkins et al. 2023: k-nomial trees", knomial, once,
     kRadix},
    {"reduce.scatter_gather", reduce, reduce_scatter_gather, "reduce-scatter + gather reduce",
     "large messages", "Chan, Heimlich, Purkayastha, van de Geijn 2007: long vectors",
     log_and_others, ring_and_gather},

    {"gather.flat", gather, gather_flat, "flat gather", "few ranks or large blocks", "", others,
     once},
    {"gather.binomial", gather, gather_binomial, "binomial-tree gather", "many ranks, small blocks",
     "Chan, Heimlich, Purkayastha, van de Geijn 2007: MST", log_rounds, gather_tree},
    {"scatter.flat", scatter, scatter_flat, "flat scatter", "few ranks or large chunks", "", others,
     all_but_roots},
    {"scatter.binomial", scatter, scatter_binomial, "binomial-tree scatter",
     "many ranks, small chunks", "Chan, Heimlich, Purkayastha, van de Geijn 2007: MST", log_rounds,
     scatter_tree},

    {"allgather.flat", allgather, allgather_flat, "gather + broadcast allgather", "comparison", "",
     twice_others, all_to_others},
    {"allgather.ring", allgather, allgather_ring, "ring allgather", "large messages",
     "Thakur, Rabenseifner, Gropp 2005: Allgather", others, to_others},
    {"allgather.doubling", allgather, allgather_doubling, "recursive-doubling allgather",
     "small messages, powers of two", "Thakur, Rabenseifner, Gropp 2005: Allgather", folded_log,
     doubling},
    {"allgather.bruck", allgather, allgather_bruck, "Bruck allgather",
     "small messages, any number of ranks", "Bruck, Ho, Kipnis, Upfal, Weathersby 1997", log_rounds,
     to_others},

    {"allgather.pat", allgather, allgather_pat, "parallel-aggregated-trees allgather",
     "small messages, many ranks", "Jeaugey 2025: PAT (NCCL 2.23)", trees_of_blocks, to_others,
     kSegments},

    {"reduce_scatter.direct", reduce_scatter, reduce_scatter_direct,
     "direct-exchange reduce-scatter", "comparison", "", others, all_but_shortest},
    {"reduce_scatter.ring", reduce_scatter, reduce_scatter_ring, "ring reduce-scatter",
     "large messages", "Chan, Heimlich, Purkayastha, van de Geijn 2007: bucket", others,
     all_but_shortest},
    {"reduce_scatter.halving", reduce_scatter, reduce_scatter_halving,
     "recursive-halving reduce-scatter", "small messages, powers of two",
     "Thakur, Rabenseifner, Gropp 2005: Reduce-Scatter", folded_log, halving},

    {"reduce_scatter.pat", reduce_scatter, reduce_scatter_pat,
     "parallel-aggregated-trees reduce-scatter", "small messages, many ranks",
     "Jeaugey 2025: PAT (NCCL 2.23)", trees_of_chunks, all_but_shortest, kSegments},

    {"allreduce.flat", allreduce, allreduce_flat, "flat allreduce", "comparison", "", twice_others,
     to_others},
    {"allreduce.mst", allreduce, allreduce_mst, "minimum-spanning-tree allreduce", "small messages",
     "Chan, Heimlich, Purkayastha, van de Geijn 2007: MST", twice_log, log_times},
    {"allreduce.tree", allreduce, allreduce_tree, "binary-tree allreduce", "small messages",
     "homework", twice_log, log_times},
    {"allreduce.bde", allreduce, allreduce_bde,
     "bidirectional-exchange (recursive-doubling) allreduce", "small messages",
     "Thakur, Rabenseifner, Gropp 2005: Reduce and Allreduce", folded_log, log_times},
    {"allreduce.one_shot", allreduce, allreduce_one_shot, "one-shot (direct) allreduce",
     "small messages, fast links between all ranks", "TensorRT-LLM: AllReduceStrategy ONESHOT",
     others, to_others},
    {"allreduce.two_shot", allreduce, allreduce_two_shot, "two-shot (direct) allreduce",
     "medium messages, fast links between all ranks", "TensorRT-LLM: AllReduceStrategy TWOSHOT",
     twice_others, two_shot},
    {"allreduce.recursive_multiplying", allreduce, allreduce_recursive_multiplying,
     "recursive-multiplying allreduce", "small messages, several sends at once",
     "Ruefenacht, Bull, Booth 2017", multiplying, multiplying_bytes, kRadix},
    {"allreduce.ring", allreduce, allreduce_ring, "ring allreduce",
     "large messages, any number of ranks", "Patarasuk, Yuan 2009", twice_others, ring_twice,
     kRing},
    {"allreduce.rabenseifner", allreduce, allreduce_rabenseifner, "Rabenseifner's allreduce",
     "medium and large messages, powers of two", "Rabenseifner 2004", folded_twice_log,
     rabenseifner},
    {"allreduce.swing", allreduce, allreduce_swing, "Swing allreduce",
     "medium and large messages on rings and tori", "De Sensi et al. 2024, section 3",
     folded_twice_log, rabenseifner},
    {"allreduce.reduce_broadcast", allreduce, allreduce_reduce_broadcast,
     "reduce + broadcast allreduce", "comparison", "", twice_log, log_times},
    {"allreduce.reduce_scatter_allgather", allreduce, allreduce_reduce_scatter_allgather,
     "reduce-scatter + allgather allreduce", "large messages",
     "Chan, Heimlich, Purkayastha, van de Geijn 2007: long vectors", twice_others, ring_twice},
    {"allreduce.hierarchical", allreduce, allreduce_hierarchical, "hierarchical allreduce",
     "slow links between groups of ranks", "", hierarchy, hierarchy_bytes, kGroups},
    {"allreduce.two_level_ring", allreduce, allreduce_two_level_ring,
     "two-level ring (rail) allreduce", "large messages, hosts with a network card for each rank",
     "Cho et al. 2019: BlueConnect", two_levels, two_level_bytes, kGroups},
    {"allreduce.ring_pipelined", allreduce, allreduce_ring_pipelined, "pipelined ring allreduce",
     "very large messages", "Patarasuk, Yuan 2009", ring_segments, ring_twice, kRingSegments},
    {"allreduce.double_tree", allreduce, allreduce_double_tree, "double-binary-tree allreduce",
     "medium and large messages, many ranks", "Sanders, Speck, Träff 2009; NCCL 2.4",
     along_both_trees, along_both_trees_bytes, kSegments},
    {"allreduce.in_network", allreduce, allreduce_in_network, "in-network (SHARP, NVLS) allreduce",
     "switches that add up what passes; where none can, rank 0 adds",
     "Graham et al. 2016: SHArP; Klenk et al. 2020", twice_others, to_others, kInNetwork},
    {"allreduce.bucketed", allreduce, allreduce_bucketed, "bucketed asynchronous allreduce",
     "gradients that become ready one after the other", "Li et al. 2020", twice_others, buckets,
     kSegments},

    {"alltoall.linear", alltoall, alltoall_linear, "linear all-to-all", "comparison", "", in_turn,
     all_but_shortest_block},
    {"alltoall.pairwise", alltoall, alltoall_pairwise, "pairwise all-to-all", "large messages",
     "Thakur, Rabenseifner, Gropp 2005: All-to-All", others, all_but_shortest_block},
    {"alltoall.bruck", alltoall, alltoall_bruck, "Bruck all-to-all", "small messages",
     "Bruck, Ho, Kipnis, Upfal, Weathersby 1997", log_rounds, bruck_alltoall},
    {"alltoall.hierarchical", alltoall, alltoall_hierarchical, "hierarchical all-to-all",
     "slow links between groups of ranks", "Rajbhandari et al. 2022: DeepSpeed-MoE", two_exchanges,
     two_exchanges_bytes, kGroups},
};

}  // namespace

std::span<const Algorithm> built_in_algorithms() { return kAlgorithms; }

}  // namespace rankscope
