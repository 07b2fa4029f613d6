// The table of all algorithms, with the closed forms that tests compare with events.
#include <algorithm>

#include "engine/collectives/algorithms.h"
#include "engine/collectives/groups.h"

namespace rankscope {
namespace {

// ---- Rounds -------------------------------------------------------------------------------------

int two_if_many(int n, int) { return n > 1 ? 2 : 0; }
int one_if_many(int n, int) { return n > 1 ? 1 : 0; }
int others(int n, int) { return n - 1; }
int twice_others(int n, int) { return 2 * (n - 1); }
int log_rounds(int n, int) { return ceil_log2(n); }
int twice_log(int n, int) { return 2 * ceil_log2(n); }
int log_and_others(int n, int) { return ceil_log2(n) + n - 1; }
int chain(int n, int segments) { return n > 1 ? n - 2 + segments : 0; }
int ring_segments(int n, int segments) { return 2 * (n - 1) * segments; }
int folded_log(int n, int) { return floor_log2(n) + (is_power_of_two(n) ? 0 : 2); }
int folded_twice_log(int n, int) { return 2 * floor_log2(n) + (is_power_of_two(n) ? 0 : 2); }
int in_turn(int n, int) { return std::max(0, 2 * n - 3); }
int hierarchy(int n, int) {
  const int g = group_size(n, 0);
  return 2 * ceil_log2(g) + folded_log((n + g - 1) / g, 1);
}

// ---- Bytes of the busiest rank ------------------------------------------------------------------

double no_bytes(int, double) { return 0; }
double once(int n, double d) { return n > 1 ? d : 0; }
double one_part(int n, double d) { return n > 1 ? d / n : 0; }
double to_others(int n, double d) { return (n - 1) * d; }
double log_times(int n, double d) { return ceil_log2(n) * d; }
double parts_of_others(int n, double d) { return d * (n - 1) / n; }
double twice_parts(int n, double d) { return 2 * d * (n - 1) / n; }

// The largest subtree below the root of binomial_tree(n, root 0), in ranks.
int largest_subtree(int n) {
  const int levels = ceil_log2(n);
  const int second = levels >= 2 ? 1 << (levels - 2) : 0;
  return levels == 0 ? 0 : std::max(n - (1 << (levels - 1)), second);
}
double subtree(int n, double d) { return d * largest_subtree(n) / n; }
double ring_and_subtree(int n, double d) { return parts_of_others(n, d) + subtree(n, d); }
double halving(int n, double d) { return is_power_of_two(n) ? parts_of_others(n, d) : d; }
double rabenseifner(int n, double d) {
  return twice_parts(1 << floor_log2(n), d) + (is_power_of_two(n) ? 0 : d);
}
// Rank 0 sends what its group of participants has, and in the end all of it to whom it carries for.
double doubling(int n, double d) {
  const int p = 1 << floor_log2(n), surplus = n - p;
  int blocks = surplus > 0 ? n : 0;
  for (int length = 1; length < p; length *= 2) blocks += length + std::min(length, surplus);
  return d * blocks / n;
}
double hierarchy_bytes(int n, double d) {
  const int g = group_size(n, 0);
  return (ceil_log2(g) + ceil_log2((n + g - 1) / g)) * d;
}
double bruck_alltoall(int n, double d) {
  int blocks = 0;
  for (int j = 1; j < n; ++j) blocks += __builtin_popcount(static_cast<unsigned>(j));
  return d * blocks / n;
}

// ---- The table ----------------------------------------------------------------------------------

using enum Collective;
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
     "small messages", "Thakur, Rabenseifner, Gropp 2005: Broadcast", log_rounds, log_times},
    {"broadcast.scatter_allgather", broadcast, broadcast_scatter_allgather,
     "scatter + allgather broadcast", "large messages",
     "Chan, Heimlich, Purkayastha, van de Geijn 2007: long vectors", log_and_others, twice_parts},
    {"broadcast.chain", broadcast, broadcast_chain, "pipelined chain broadcast",
     "very large messages", "Patarasuk, Faraj, Yuan 2006", chain, once},

    {"reduce.flat", reduce, reduce_flat, "flat reduce", "two or three ranks", "", others, once},
    {"reduce.binomial", reduce, reduce_binomial, "binomial-tree reduce", "small messages",
     "Thakur, Rabenseifner, Gropp 2005: Reduce and Allreduce", log_rounds, once},
    {"reduce.scatter_gather", reduce, reduce_scatter_gather, "reduce-scatter + gather reduce",
     "large messages", "Chan, Heimlich, Purkayastha, van de Geijn 2007: long vectors",
     log_and_others, ring_and_subtree},

    {"gather.flat", gather, gather_flat, "flat gather", "few ranks or large blocks", "", others,
     one_part},
    {"gather.binomial", gather, gather_binomial, "binomial-tree gather", "many ranks, small blocks",
     "Chan, Heimlich, Purkayastha, van de Geijn 2007: MST", log_rounds, subtree},
    {"scatter.flat", scatter, scatter_flat, "flat scatter", "few ranks or large chunks", "", others,
     parts_of_others},
    {"scatter.binomial", scatter, scatter_binomial, "binomial-tree scatter",
     "many ranks, small chunks", "Chan, Heimlich, Purkayastha, van de Geijn 2007: MST", log_rounds,
     parts_of_others},

    {"allgather.flat", allgather, allgather_flat, "gather + broadcast allgather", "comparison", "",
     twice_others, to_others},
    {"allgather.ring", allgather, allgather_ring, "ring allgather", "large messages",
     "Thakur, Rabenseifner, Gropp 2005: Allgather", others, parts_of_others},
    {"allgather.doubling", allgather, allgather_doubling, "recursive-doubling allgather",
     "small messages, powers of two", "Thakur, Rabenseifner, Gropp 2005: Allgather", folded_log,
     doubling},
    {"allgather.bruck", allgather, allgather_bruck, "Bruck allgather",
     "small messages, any number of ranks", "Bruck, Ho, Kipnis, Upfal, Weathersby 1997", log_rounds,
     parts_of_others},

    {"reduce_scatter.direct", reduce_scatter, reduce_scatter_direct,
     "direct-exchange reduce-scatter", "comparison", "", others, parts_of_others},
    {"reduce_scatter.ring", reduce_scatter, reduce_scatter_ring, "ring reduce-scatter",
     "large messages", "Chan, Heimlich, Purkayastha, van de Geijn 2007: bucket", others,
     parts_of_others},
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
     "large messages, any number of ranks", "Patarasuk, Yuan 2009", twice_others, twice_parts},
    {"allreduce.rabenseifner", allreduce, allreduce_rabenseifner, "Rabenseifner's allreduce",
     "medium and large messages, powers of two", "Rabenseifner 2004", folded_twice_log,
     rabenseifner},
    {"allreduce.reduce_broadcast", allreduce, allreduce_reduce_broadcast,
     "reduce + broadcast allreduce", "comparison", "", twice_log, log_times},
    {"allreduce.reduce_scatter_allgather", allreduce, allreduce_reduce_scatter_allgather,
     "reduce-scatter + allgather allreduce", "large messages",
     "Chan, Heimlich, Purkayastha, van de Geijn 2007: long vectors", twice_others, twice_parts},
    {"allreduce.hierarchical", allreduce, allreduce_hierarchical, "hierarchical allreduce",
     "slow links between groups of ranks", "", hierarchy, hierarchy_bytes},
    {"allreduce.ring_pipelined", allreduce, allreduce_ring_pipelined, "pipelined ring allreduce",
     "very large messages", "Patarasuk, Yuan 2009", ring_segments, twice_parts},
    {"allreduce.bucketed", allreduce, allreduce_bucketed, "bucketed asynchronous allreduce",
     "gradients that become ready one after the other", "Li et al. 2020", twice_others,
     twice_parts},

    {"alltoall.linear", alltoall, alltoall_linear, "linear all-to-all", "comparison", "", in_turn,
     parts_of_others},
    {"alltoall.pairwise", alltoall, alltoall_pairwise, "pairwise all-to-all", "large messages",
     "Thakur, Rabenseifner, Gropp 2005: All-to-All", others, parts_of_others},
    {"alltoall.bruck", alltoall, alltoall_bruck, "Bruck all-to-all", "small messages",
     "Bruck, Ho, Kipnis, Upfal, Weathersby 1997", log_rounds, bruck_alltoall},
};

}  // namespace

std::span<const Algorithm> built_in_algorithms() { return kAlgorithms; }

}  // namespace rankscope
