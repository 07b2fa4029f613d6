// The messages of the algorithms whose finish time needs the recurrence, from their descriptions.
#pragma once

#include "engine/collectives/algorithm.h"
#include "engine/model/costs/message_times.h"

namespace rankscope::plans {

/// Each has every message of the algorithm of its name; lengths of parts are exact.
MessagePlan reduce_binomial(const ClosedFormInput& in);
MessagePlan broadcast_double_tree(const ClosedFormInput& in);
MessagePlan reduce_knomial(const ClosedFormInput& in);
MessagePlan broadcast_scatter_allgather(const ClosedFormInput& in);
MessagePlan reduce_scatter_gather(const ClosedFormInput& in);
MessagePlan allgather_doubling(const ClosedFormInput& in);
MessagePlan reduce_scatter_direct(const ClosedFormInput& in);
MessagePlan reduce_scatter_halving(const ClosedFormInput& in);
MessagePlan reduce_scatter_pat(const ClosedFormInput& in);
MessagePlan allreduce_two_shot(const ClosedFormInput& in);
MessagePlan allreduce_tree(const ClosedFormInput& in);
MessagePlan allreduce_mst(const ClosedFormInput& in);
MessagePlan allreduce_bde(const ClosedFormInput& in);
MessagePlan allreduce_recursive_multiplying(const ClosedFormInput& in);
MessagePlan allreduce_rabenseifner(const ClosedFormInput& in);
MessagePlan allreduce_swing(const ClosedFormInput& in);
MessagePlan allreduce_hierarchical(const ClosedFormInput& in);
MessagePlan allreduce_two_level_ring(const ClosedFormInput& in);
MessagePlan allreduce_double_tree(const ClosedFormInput& in);
/// Where all ranks do the same at the same time, one rank stands for all: it sends to itself.
MessagePlan allreduce_ring_pipelined(const ClosedFormInput& in);
MessagePlan allreduce_bucketed(const ClosedFormInput& in);
MessagePlan alltoall_pairwise(const ClosedFormInput& in);
MessagePlan alltoall_bruck(const ClosedFormInput& in);
MessagePlan alltoall_hierarchical(const ClosedFormInput& in);

}  // namespace rankscope::plans
