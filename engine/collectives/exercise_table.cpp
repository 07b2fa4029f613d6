// The programs of exercises/, beside the algorithms that are right. Without facts: to find them is
// the task.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {
namespace {

using enum Collective;
constexpr std::string_view kUse = "find out what is wrong with it";
const Algorithm kExercises[] = {
    {"exercise.pair_a", p2p_message, exercise_pair_a, "message to rank 1", kUse, "", nullptr,
     nullptr},
    {"exercise.pair_b", p2p_message, exercise_pair_b, "message to rank 1", kUse, "", nullptr,
     nullptr},
    {"exercise.pair_c", p2p_shift, exercise_pair_c, "neighbour exchange", kUse, "", nullptr,
     nullptr},
    {"exercise.pair_d", p2p_shift, exercise_pair_d, "neighbour exchange", kUse, "", nullptr,
     nullptr},
    {"exercise.broadcast_a", broadcast, exercise_broadcast_a, "flat broadcast", kUse, "", nullptr,
     nullptr},
    {"exercise.allgather_a", allgather, exercise_allgather_a, "direct-exchange allgather", kUse, "",
     nullptr, nullptr},
    {"exercise.allgather_b", allgather, exercise_allgather_b, "allgather", kUse, "", nullptr,
     nullptr},
    {"exercise.reduce_scatter_a", reduce_scatter, exercise_reduce_scatter_a,
     "direct-exchange reduce-scatter", kUse, "", nullptr, nullptr},
    {"exercise.reduce_scatter_b", reduce_scatter, exercise_reduce_scatter_b,
     "direct-exchange reduce-scatter", kUse, "", nullptr, nullptr},
    {"exercise.ring_a", allreduce, exercise_ring_a, "ring allreduce", kUse, "", nullptr, nullptr},
    {"exercise.ring_b", allreduce, exercise_ring_b, "ring allreduce", kUse, "", nullptr, nullptr},
    {"exercise.ring_c", allreduce, exercise_ring_c, "ring allreduce", kUse, "", nullptr, nullptr},
    {"exercise.ring_d", allreduce, exercise_ring_d, "ring allreduce", kUse, "", nullptr, nullptr},
    {"exercise.ring_e", allreduce, exercise_ring_e, "ring allreduce", kUse, "", nullptr, nullptr},
    {"exercise.ring_f", allreduce, exercise_ring_f, "ring allreduce", kUse, "", nullptr, nullptr},
    {"exercise.hierarchical_a", allreduce, exercise_hierarchical_a, "hierarchical allreduce", kUse,
     "", nullptr, nullptr},
    {"exercise.hierarchical_b", allreduce, exercise_hierarchical_b, "hierarchical allreduce", kUse,
     "", nullptr, nullptr},
    {"exercise.bucket_a", allreduce, exercise_bucket_a, "allreduce in buckets", kUse, "", nullptr,
     nullptr},
    {"exercise.bucket_b", allreduce, exercise_bucket_b, "allreduce in buckets", kUse, "", nullptr,
     nullptr},
    {"exercise.repeat_a", allreduce, exercise_repeat_a, "repeated allreduce", kUse, "", nullptr,
     nullptr},
    {"exercise.average_a",
     allreduce,
     exercise_average_a,
     "average over ranks",
     kUse,
     "",
     nullptr,
     nullptr,
     {.divides_for_avg = true}},
    {"exercise.average_b",
     allreduce,
     exercise_average_b,
     "average over ranks",
     kUse,
     "",
     nullptr,
     nullptr,
     {.divides_for_avg = true}},
    {"exercise.async_a", allreduce, exercise_async_a, "asynchronous allreduce", kUse, "", nullptr,
     nullptr},
    {"exercise.sum_a", allreduce, exercise_sum_a, "allreduce", kUse, "", nullptr, nullptr},
    {"exercise.sum_b", allreduce, exercise_sum_b, "allreduce", kUse, "", nullptr, nullptr},
    {"exercise.tree_a", allreduce, exercise_tree_a, "tree allreduce", kUse, "", nullptr, nullptr},
    {"exercise.tree_b", allreduce, exercise_tree_b, "tree allreduce", kUse, "", nullptr, nullptr},
    {"exercise.flat_a", allreduce, exercise_flat_a, "flat allreduce", kUse, "", nullptr, nullptr},
    {"exercise.bde_a", allreduce, exercise_bde_a, "bidirectional-exchange allreduce", kUse, "",
     nullptr, nullptr},
    {"exercise.alltoall_a", alltoall, exercise_alltoall_a, "all-to-all", kUse, "", nullptr,
     nullptr},
    {"exercise.alltoall_b", alltoall, exercise_alltoall_b, "all-to-all", kUse, "", nullptr,
     nullptr},
    {"exercise.alltoall_c", alltoall, exercise_alltoall_c, "all-to-all", kUse, "", nullptr,
     nullptr},
};

}  // namespace

std::span<const Algorithm> exercises() { return kExercises; }

}  // namespace rankscope
