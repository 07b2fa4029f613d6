// The programs of exercises/, beside the algorithms that are right. Without facts: to find them is
// the task.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {
namespace {

using enum Collective;
constexpr Algorithm exercise(std::string_view name, Collective collective,
                             decltype(Algorithm::run) run, std::string_view title,
                             AlgorithmFeatures features = {}) {
  return {.name = name,
          .collective = collective,
          .run = run,
          .title = title,
          .best_use = "find out what is wrong with it",
          .source = "",
          .rounds = nullptr,
          .busiest_bytes = nullptr,
          .features = features};
}

const Algorithm kExercises[] = {
    exercise("exercise.pair_a", p2p_message, exercise_pair_a, "message to rank 1"),
    exercise("exercise.pair_b", p2p_message, exercise_pair_b, "message to rank 1"),
    exercise("exercise.pair_c", p2p_shift, exercise_pair_c, "neighbour exchange"),
    exercise("exercise.pair_d", p2p_shift, exercise_pair_d, "neighbour exchange"),
    exercise("exercise.broadcast_a", broadcast, exercise_broadcast_a, "flat broadcast"),
    exercise("exercise.allgather_a", allgather, exercise_allgather_a, "direct-exchange allgather"),
    exercise("exercise.allgather_b", allgather, exercise_allgather_b, "allgather"),
    exercise("exercise.reduce_scatter_a", reduce_scatter, exercise_reduce_scatter_a,
             "direct-exchange reduce-scatter"),
    exercise("exercise.reduce_scatter_b", reduce_scatter, exercise_reduce_scatter_b,
             "direct-exchange reduce-scatter"),
    exercise("exercise.ring_a", allreduce, exercise_ring_a, "ring allreduce"),
    exercise("exercise.ring_b", allreduce, exercise_ring_b, "ring allreduce"),
    exercise("exercise.ring_c", allreduce, exercise_ring_c, "ring allreduce"),
    exercise("exercise.ring_d", allreduce, exercise_ring_d, "ring allreduce"),
    exercise("exercise.ring_e", allreduce, exercise_ring_e, "ring allreduce"),
    exercise("exercise.ring_f", allreduce, exercise_ring_f, "ring allreduce"),
    exercise("exercise.hierarchical_a", allreduce, exercise_hierarchical_a,
             "hierarchical allreduce"),
    exercise("exercise.hierarchical_b", allreduce, exercise_hierarchical_b,
             "hierarchical allreduce"),
    exercise("exercise.bucket_a", allreduce, exercise_bucket_a, "allreduce in buckets"),
    exercise("exercise.bucket_b", allreduce, exercise_bucket_b, "allreduce in buckets"),
    exercise("exercise.repeat_a", allreduce, exercise_repeat_a, "repeated allreduce"),
    exercise("exercise.average_a", allreduce, exercise_average_a, "average over ranks",
             {.divides_for_avg = true}),
    exercise("exercise.average_b", allreduce, exercise_average_b, "average over ranks",
             {.divides_for_avg = true}),
    exercise("exercise.async_a", allreduce, exercise_async_a, "asynchronous allreduce"),
    exercise("exercise.sum_a", allreduce, exercise_sum_a, "allreduce"),
    exercise("exercise.sum_b", allreduce, exercise_sum_b, "allreduce"),
    exercise("exercise.tree_a", allreduce, exercise_tree_a, "tree allreduce"),
    exercise("exercise.tree_b", allreduce, exercise_tree_b, "tree allreduce"),
    exercise("exercise.flat_a", allreduce, exercise_flat_a, "flat allreduce"),
    exercise("exercise.bde_a", allreduce, exercise_bde_a, "bidirectional-exchange allreduce"),
    exercise("exercise.alltoall_a", alltoall, exercise_alltoall_a, "all-to-all"),
    exercise("exercise.alltoall_b", alltoall, exercise_alltoall_b, "all-to-all"),
    exercise("exercise.alltoall_c", alltoall, exercise_alltoall_c, "all-to-all"),
};

}  // namespace

std::span<const Algorithm> exercises() { return kExercises; }

}  // namespace rankscope
