// The table of all algorithms.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/closed_forms.h"

namespace rankscope {
namespace {

using namespace closed_forms;  // NOLINT: a column of the table each
using enum Collective;
constexpr AlgorithmFeatures kSegments{.takes_segments = true}, kGroups{.takes_group_size = true},
    kRadix{.takes_radix = true};
const Algorithm kAlgorithms[] = {
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
     "large messages, any number of ranks", "Patarasuk, Yuan 2009", twice_others, ring_twice},
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
     "very large messages", "Patarasuk, Yuan 2009", ring_segments, ring_twice, kSegments},
    {"allreduce.double_tree", allreduce, allreduce_double_tree, "double-binary-tree allreduce",
     "medium and large messages, many ranks", "Sanders, Speck, Träff 2009; NCCL 2.4",
     along_both_trees, along_both_trees_bytes, kSegments},
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
