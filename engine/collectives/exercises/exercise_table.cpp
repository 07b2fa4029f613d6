// The table of the programs in exercises/. It states no facts about them, because finding these is
// the task.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {
namespace {

using enum Collective;
constexpr AlgorithmFeatures kDivides{.divides_for_avg = true};

#define EXERCISE(letter, collective, title, ...)                                                 \
  {                                                                                              \
    "exercise." #letter, collective, exercise_##letter, title, "find out what is wrong with it", \
        "", nullptr, nullptr __VA_OPT__(, ) __VA_ARGS__                                          \
  }
constexpr Algorithm kExercises[] = {
    EXERCISE(pair_a, p2p_message, "message to rank 1"),
    EXERCISE(pair_b, p2p_message, "message to rank 1"),
    EXERCISE(pair_c, p2p_shift, "neighbour exchange"),
    EXERCISE(pair_d, p2p_shift, "neighbour exchange"),
    EXERCISE(broadcast_a, broadcast, "flat broadcast"),
    EXERCISE(allgather_a, allgather, "direct-exchange allgather"),
    EXERCISE(allgather_b, allgather, "allgather"),
    EXERCISE(reduce_scatter_a, reduce_scatter, "direct-exchange reduce-scatter"),
    EXERCISE(reduce_scatter_b, reduce_scatter, "direct-exchange reduce-scatter"),
    EXERCISE(ring_a, allreduce, "ring allreduce"),
    EXERCISE(ring_b, allreduce, "ring allreduce"),
    EXERCISE(ring_c, allreduce, "ring allreduce"),
    EXERCISE(ring_d, allreduce, "ring allreduce"),
    EXERCISE(ring_e, allreduce, "ring allreduce"),
    EXERCISE(ring_f, allreduce, "ring allreduce"),
    EXERCISE(hierarchical_a, allreduce, "hierarchical allreduce"),
    EXERCISE(hierarchical_b, allreduce, "hierarchical allreduce"),
    EXERCISE(bucket_a, allreduce, "allreduce in buckets"),
    EXERCISE(bucket_b, allreduce, "allreduce in buckets"),
    EXERCISE(repeat_a, allreduce, "repeated allreduce"),
    EXERCISE(average_a, allreduce, "average over ranks", kDivides),
    EXERCISE(average_b, allreduce, "average over ranks", kDivides),
    EXERCISE(async_a, allreduce, "asynchronous allreduce"),
    EXERCISE(sum_a, allreduce, "allreduce"),
    EXERCISE(sum_b, allreduce, "allreduce"),
    EXERCISE(tree_a, allreduce, "tree allreduce"),
    EXERCISE(tree_b, allreduce, "tree allreduce"),
    EXERCISE(flat_a, allreduce, "flat allreduce"),
    EXERCISE(bde_a, allreduce, "bidirectional-exchange allreduce"),
    EXERCISE(alltoall_a, alltoall, "all-to-all"),
    EXERCISE(alltoall_b, alltoall, "all-to-all"),
    EXERCISE(alltoall_c, alltoall, "all-to-all"),
};
#undef EXERCISE

}  // namespace

std::span<const Algorithm> exercises() { return kExercises; }

}  // namespace rankscope
