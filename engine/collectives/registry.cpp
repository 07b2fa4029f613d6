// The table of all algorithms, with the closed forms that tests compare with events.
#include <algorithm>
#include <array>

#include "engine/collectives/algorithms.h"
#include "engine/collectives/groups.h"
#include "engine/collectives/pipeline.h"
#include "engine/collectives/range_tree.h"

namespace rankscope {
namespace {

using In = ClosedFormInput;

// ---- Rounds -------------------------------------------------------------------------------------

std::int64_t segments_of(const In& in, Count count, std::uint64_t default_bytes) {
  return segments(count, in.dtype, or_default(in.segment_bytes, default_bytes)).parts();
}

std::int64_t two_if_many(const In& in) { return in.n > 1 ? 2 : 0; }
std::int64_t one_if_many(const In& in) { return in.n > 1 ? 1 : 0; }
std::int64_t others(const In& in) { return in.n - 1; }
std::int64_t twice_others(const In& in) { return 2 * (in.n - 1); }
std::int64_t log_rounds(const In& in) { return ceil_log2(in.n); }
std::int64_t twice_log(const In& in) { return 2 * ceil_log2(in.n); }
std::int64_t log_and_others(const In& in) { return ceil_log2(in.n) + in.n - 1; }
std::int64_t chain(const In& in) {
  return in.n > 1 ? in.n - 2 + segments_of(in, in.shape.count(), kChainSegmentBytes) : 0;
}
std::int64_t ring_segments(const In& in) {
  const Count longest = Partition(in.shape.count(), in.n).longest();
  return 2 * (in.n - 1) * segments_of(in, longest, kRingSegmentBytes);
}
std::int64_t folded(int n, int times) {
  return times * floor_log2(n) + (is_power_of_two(n) ? 0 : 2);
}
std::int64_t folded_log(const In& in) { return folded(in.n, 1); }
std::int64_t folded_twice_log(const In& in) { return folded(in.n, 2); }
std::int64_t in_turn(const In& in) { return std::max(0, 2 * in.n - 3); }
std::int64_t hierarchy(const In& in) {
  const int g = group_size(in.n, in.group_size);
  return 2 * ceil_log2(g) + folded((in.n + g - 1) / g, 1);
}

// ---- Bytes of the busiest rank: exact, also where chunks differ by one element ------------------

std::uint64_t bytes(const In& in, Count elements) {
  return static_cast<std::uint64_t>(elements) * dtype_size(in.dtype);
}
// D where a rank passes in all of it, and the part of each rank in it.
std::uint64_t data(const In& in) { return bytes(in, in.shape.count()); }
Partition chunks(const In& in) { return {in.shape.count(), in.n}; }

std::uint64_t no_bytes(const In&) { return 0; }
std::uint64_t once(const In& in) { return in.n > 1 ? data(in) : 0; }
std::uint64_t times(const In& in, int factor) {
  return static_cast<std::uint64_t>(factor) * data(in);
}
std::uint64_t to_others(const In& in) { return times(in, in.n - 1); }
std::uint64_t all_to_others(const In& in) {
  return static_cast<std::uint64_t>(in.n) * to_others(in);
}
std::uint64_t log_times(const In& in) { return times(in, ceil_log2(in.n)); }
std::uint64_t all_but_own(const In& in, Rank rank) {
  return bytes(in, in.shape.count() - chunks(in)[rank].count);
}
// The last chunk is a shortest one.
std::uint64_t all_but_shortest(const In& in) { return all_but_own(in, in.n - 1); }
std::uint64_t all_but_roots(const In& in) { return all_but_own(in, in.root); }

// Twice around a ring, a rank sends all chunks but two neighbours: the last two are the shortest.
Count twice_around(Count count, int n) {
  return n > 1 ? 2 * count - Partition(count, n).span(n - 2, n).count : 0;
}
std::uint64_t ring_twice(const In& in) { return bytes(in, twice_around(in.shape.count(), in.n)); }
std::uint64_t buckets(const In& in) {
  const Count count = in.shape.count();
  const Partition buckets = bucket_partition(count, in.dtype, in.segment_bytes);
  const Count longer = count % buckets.parts(), shorter = buckets.parts() - longer;
  return bytes(in, longer * twice_around(buckets[0].count, in.n) +
                       shorter * twice_around(buckets[buckets.parts() - 1].count, in.n));
}

// What each rank sends down (or up) the binomial tree, `weight` elements to (or from) each child,
// after the `before` elements that it sends anyway.
template <class Weight, class Before>
std::uint64_t along_tree(const In& in, bool down, Weight weight, Before before) {
  std::vector<Count> sent(static_cast<std::size_t>(in.n));
  for (Rank rank = 0; rank < in.n; ++rank) sent[static_cast<std::size_t>(rank)] = before(rank);
  for (const auto& [parent, child] : binomial_edges(in.n, in.root))
    sent[static_cast<std::size_t>(down ? parent : child.rank)] += weight(child);
  return bytes(in, *std::ranges::max_element(sent));
}
constexpr auto kNothingBefore = [](Rank) { return Count{0}; };

std::uint64_t tree_down(const In& in) {
  return along_tree(
      in, true, [&](const auto&) { return in.shape.count(); }, kNothingBefore);
}
auto subtree_chunks(const In& in) {
  return
      [part = chunks(in)](const auto& child) { return part.span(child.first, child.last).count; };
}
std::uint64_t scatter_tree(const In& in) {
  return along_tree(in, true, subtree_chunks(in), kNothingBefore);
}
std::uint64_t gather_tree(const In& in) {
  const auto blocks = [&](const auto& child) {
    return (child.last - child.first) * in.shape.count();
  };
  return along_tree(in, false, blocks, kNothingBefore);
}
// An allgather around the ring sends all but the next rank's chunk, a reduce-scatter all but the own.
std::uint64_t scatter_and_ring(const In& in) {
  const auto ring = [&, part = chunks(in)](Rank rank) {
    return in.shape.count() - part[wrap(rank + 1, in.n)].count;
  };
  return along_tree(in, true, subtree_chunks(in), ring);
}
std::uint64_t ring_and_gather(const In& in) {
  const auto ring = [&, part = chunks(in)](Rank rank) {
    return in.shape.count() - part[rank].count;
  };
  return along_tree(in, false, subtree_chunks(in), ring);
}

std::uint64_t halving(const In& in) {
  return is_power_of_two(in.n) ? all_but_shortest(in) : data(in);
}
// Participant 0 has the longest runs of chunks, and carries for a rank if any does.
std::uint64_t rabenseifner(const In& in) {
  const int p = 1 << floor_log2(in.n);
  if (p == 1) return 0;
  const Partition part(in.shape.count(), p);
  Count sent = in.shape.count() * (p == in.n ? 1 : 2);
  for (int length = 2; length < p; length *= 2) sent += part.span(0, length).count;
  return bytes(in, sent);
}
// Rank 0 sends what its group of participants has, and in the end all of it to whom it carries for.
std::uint64_t doubling(const In& in) {
  const int p = 1 << floor_log2(in.n), surplus = in.n - p;
  Count blocks = surplus > 0 ? in.n : 0;
  for (int length = 1; length < p; length *= 2) blocks += length + std::min(length, surplus);
  return bytes(in, blocks * in.shape.count());
}
std::uint64_t hierarchy_bytes(const In& in) {
  const int g = group_size(in.n, in.group_size);
  return times(in, ceil_log2(g) + ceil_log2((in.n + g - 1) / g));
}

// Of an all-to-all: elements at one position of the dimension that is cut.
Count slab(const In& in) { return in.shape.outer(in.scatter_dim) * in.shape.inner(in.scatter_dim); }
Partition cut(const In& in) { return {in.shape[in.scatter_dim], in.n}; }
std::uint64_t all_but_shortest_block(const In& in) {
  const Partition part = cut(in);
  return bytes(in, slab(in) * (part.count() - part[in.n - 1].count));
}
// The block for the rank d further on is sent once for each slot that ends there: as many as the
// lowest bit of d says, as far as there are slots. A rank sends most that has most of the longer
// blocks where there are many slots.
std::uint64_t bruck_alltoall(const In& in) {
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

// ---- The table ----------------------------------------------------------------------------------

using enum Collective;
constexpr AlgorithmFeatures kSegments{.takes_segments = true}, kGroups{.takes_group_size = true};
const Algorithm kAlgorithms[] = {
    {"p2p.ping", p2p, p2p_ping, "ping-pong", "measuring latency and bandwidth of one link",
     "Hockney 1994", two_if_many, once},
    {"p2p.sendrecv", p2p_shift, p2p_sendrecv, "neighbour exchange", "all links of a ring at once",
     "MPI standard, Send-Receive", one_if_many, once},

    {"barrier.dissemination", barrier, barrier_dissemination, "dissemination barrier",
     "any number of ranks", "Hensgen, Finkel, Manber 1988", log_rounds, no_bytes},

    {"broadcast.flat", broadcast, broadcast_flat, "flat broadcast", "two or three ranks", "",
     others, to_others},
    {"broadcast.binomial", broadcast, broadcast_binomial, "binomial-tree broadcast",
     "small messages", "Thakur, Rabenseifner, Gropp 2005: Broadcast", log_rounds, tree_down},
    {"broadcast.scatter_allgather", broadcast, broadcast_scatter_allgather,
     "scatter + allgather broadcast", "large messages",
     "Chan, Heimlich, Purkayastha, van de Geijn 2007: long vectors", log_and_others,
     scatter_and_ring},
    {"broadcast.chain", broadcast, broadcast_chain, "pipelined chain broadcast",
     "very large messages", "Patarasuk, Faraj, Yuan 2006", chain, once, kSegments},

    {"reduce.flat", reduce, reduce_flat, "flat reduce", "two or three ranks", "", others, once},
    {"reduce.binomial", reduce, reduce_binomial, "binomial-tree reduce", "small messages",
     "Thakur, Rabenseifner, Gropp 2005: Reduce and Allreduce", log_rounds, once},
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

    {"reduce_scatter.direct", reduce_scatter, reduce_scatter_direct,
     "direct-exchange reduce-scatter", "comparison", "", others, all_but_shortest},
    {"reduce_scatter.ring", reduce_scatter, reduce_scatter_ring, "ring reduce-scatter",
     "large messages", "Chan, Heimlich, Purkayastha, van de Geijn 2007: bucket", others,
     all_but_shortest},
    {"reduce_scatter.halving", reduce_scatter, reduce_scatter_halving,
     "recursive-halving reduce-scatter", "small messages, powers of two",
     "Thakur, Rabenseifner, Gropp 2005: Reduce-Scatter", folded_log, halving},

    {"allreduce.flat", allreduce, allreduce_flat, "flat allreduce", "comparison", "", twice_others,
     to_others},
    {"allreduce.mst", allreduce, allreduce_mst, "minimum-spanning-tree allreduce", "small messages",
     "Chan, Heimlich, Purkayastha, van de Geijn 2007: MST", twice_log, log_times},
    {"allreduce.tree", allreduce, allreduce_tree, "binary-tree allreduce", "small messages",
     "homework", twice_log, log_times},
    {"allreduce.bde", allreduce, allreduce_bde,
     "bidirectional-exchange (recursive-doubling) allreduce", "small messages",
     "Thakur, Rabenseifner, Gropp 2005: Reduce and Allreduce", folded_log, log_times},
    {"allreduce.ring", allreduce, allreduce_ring, "ring allreduce",
     "large messages, any number of ranks", "Patarasuk, Yuan 2009", twice_others, ring_twice},
    {"allreduce.rabenseifner", allreduce, allreduce_rabenseifner, "Rabenseifner's allreduce",
     "medium and large messages, powers of two", "Rabenseifner 2004", folded_twice_log,
     rabenseifner},
    {"allreduce.reduce_broadcast", allreduce, allreduce_reduce_broadcast,
     "reduce + broadcast allreduce", "comparison", "", twice_log, log_times},
    {"allreduce.reduce_scatter_allgather", allreduce, allreduce_reduce_scatter_allgather,
     "reduce-scatter + allgather allreduce", "large messages",
     "Chan, Heimlich, Purkayastha, van de Geijn 2007: long vectors", twice_others, ring_twice},
    {"allreduce.hierarchical", allreduce, allreduce_hierarchical, "hierarchical allreduce",
     "slow links between groups of ranks", "", hierarchy, hierarchy_bytes, kGroups},
    {"allreduce.ring_pipelined", allreduce, allreduce_ring_pipelined, "pipelined ring allreduce",
     "very large messages", "Patarasuk, Yuan 2009", ring_segments, ring_twice, kSegments},
    {"allreduce.bucketed", allreduce, allreduce_bucketed, "bucketed asynchronous allreduce",
     "gradients that become ready one after the other", "Li et al. 2020", twice_others, buckets,
     kSegments},

    {"alltoall.linear", alltoall, alltoall_linear, "linear all-to-all", "comparison", "", in_turn,
     all_but_shortest_block},
    {"alltoall.pairwise", alltoall, alltoall_pairwise, "pairwise all-to-all", "large messages",
     "Thakur, Rabenseifner, Gropp 2005: All-to-All", others, all_but_shortest_block},
    {"alltoall.bruck", alltoall, alltoall_bruck, "Bruck all-to-all", "small messages",
     "Bruck, Ho, Kipnis, Upfal, Weathersby 1997", log_rounds, bruck_alltoall},
};

}  // namespace

std::span<const Algorithm> built_in_algorithms() { return kAlgorithms; }

}  // namespace rankscope
