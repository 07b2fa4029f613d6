// Programs for "find the bug". What is to be found is in tests/collectives/exercises_test.cpp, so
// that it does not lie beside them.
#pragma once

#include "engine/collectives/algorithms.h"

namespace rankscope {

/// Returns the partner at a distance that is a power of two. A listing must not show how: lessons ask for it.
inline Rank partner_at(Rank rank, int distance) { return rank ^ distance; }

void exercise_ring_a(Communicator& comm, const Args& args);
void exercise_ring_b(Communicator& comm, const Args& args);
void exercise_ring_c(Communicator& comm, const Args& args);
void exercise_ring_d(Communicator& comm, const Args& args);
void exercise_ring_e(Communicator& comm, const Args& args);
void exercise_ring_f(Communicator& comm, const Args& args);
void exercise_hierarchical_a(Communicator& comm, const Args& args);
void exercise_hierarchical_b(Communicator& comm, const Args& args);
void exercise_bucket_a(Communicator& comm, const Args& args);
void exercise_bucket_b(Communicator& comm, const Args& args);
void exercise_repeat_a(Communicator& comm, const Args& args);
void exercise_average_a(Communicator& comm, const Args& args);
void exercise_average_b(Communicator& comm, const Args& args);
void exercise_async_a(Communicator& comm, const Args& args);
void exercise_pair_a(Communicator& comm, const Args& args);
void exercise_pair_b(Communicator& comm, const Args& args);
void exercise_pair_c(Communicator& comm, const Args& args);
void exercise_pair_d(Communicator& comm, const Args& args);
void exercise_sum_a(Communicator& comm, const Args& args);
void exercise_sum_b(Communicator& comm, const Args& args);
void exercise_tree_a(Communicator& comm, const Args& args);
void exercise_tree_b(Communicator& comm, const Args& args);
void exercise_flat_a(Communicator& comm, const Args& args);
void exercise_bde_a(Communicator& comm, const Args& args);
void exercise_broadcast_a(Communicator& comm, const Args& args);
void exercise_allgather_a(Communicator& comm, const Args& args);
void exercise_allgather_b(Communicator& comm, const Args& args);
void exercise_reduce_scatter_a(Communicator& comm, const Args& args);
void exercise_reduce_scatter_b(Communicator& comm, const Args& args);
void exercise_alltoall_a(Communicator& comm, const Args& args);
void exercise_alltoall_b(Communicator& comm, const Args& args);
void exercise_alltoall_c(Communicator& comm, const Args& args);

}  // namespace rankscope
