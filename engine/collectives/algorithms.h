// Every algorithm of this folder. One file each: allreduce_ring.cpp holds allreduce_ring, which the
// registry calls "allreduce.ring".
#pragma once

#include "engine/collectives/algorithm.h"
#include "engine/core/message/communicator.h"

namespace rankscope {

void p2p_ping(Communicator& comm, const Args& args);
void p2p_sendrecv(Communicator& comm, const Args& args);

void barrier_dissemination(Communicator& comm, const Args& args);
void barrier_flat(Communicator& comm, const Args& args);

void broadcast_flat(Communicator& comm, const Args& args);
void broadcast_binomial(Communicator& comm, const Args& args);
void broadcast_knomial(Communicator& comm, const Args& args);
void broadcast_scatter_allgather(Communicator& comm, const Args& args);
void broadcast_chain(Communicator& comm, const Args& args);
void broadcast_double_tree(Communicator& comm, const Args& args);

void reduce_flat(Communicator& comm, const Args& args);
void reduce_binomial(Communicator& comm, const Args& args);
void reduce_knomial(Communicator& comm, const Args& args);
void reduce_scatter_gather(Communicator& comm, const Args& args);

void gather_flat(Communicator& comm, const Args& args);
void gather_binomial(Communicator& comm, const Args& args);
void scatter_flat(Communicator& comm, const Args& args);
void scatter_binomial(Communicator& comm, const Args& args);

void allgather_flat(Communicator& comm, const Args& args);
void allgather_ring(Communicator& comm, const Args& args);
void allgather_doubling(Communicator& comm, const Args& args);
void allgather_bruck(Communicator& comm, const Args& args);
void allgather_pat(Communicator& comm, const Args& args);

void reduce_scatter_direct(Communicator& comm, const Args& args);
void reduce_scatter_ring(Communicator& comm, const Args& args);
void reduce_scatter_halving(Communicator& comm, const Args& args);
void reduce_scatter_pat(Communicator& comm, const Args& args);

void allreduce_flat(Communicator& comm, const Args& args);
void allreduce_in_network(Communicator& comm, const Args& args);
void allreduce_one_shot(Communicator& comm, const Args& args);
void allreduce_two_shot(Communicator& comm, const Args& args);
void allreduce_mst(Communicator& comm, const Args& args);
void allreduce_tree(Communicator& comm, const Args& args);
void allreduce_bde(Communicator& comm, const Args& args);
void allreduce_recursive_multiplying(Communicator& comm, const Args& args);
void allreduce_ring(Communicator& comm, const Args& args);
void allreduce_rabenseifner(Communicator& comm, const Args& args);
void allreduce_swing(Communicator& comm, const Args& args);
void allreduce_reduce_broadcast(Communicator& comm, const Args& args);
void allreduce_reduce_scatter_allgather(Communicator& comm, const Args& args);
void allreduce_hierarchical(Communicator& comm, const Args& args);
void allreduce_two_level_ring(Communicator& comm, const Args& args);
void allreduce_ring_pipelined(Communicator& comm, const Args& args);
void allreduce_double_tree(Communicator& comm, const Args& args);
void allreduce_bucketed(Communicator& comm, const Args& args);

void alltoall_linear(Communicator& comm, const Args& args);
void alltoall_pairwise(Communicator& comm, const Args& args);
void alltoall_bruck(Communicator& comm, const Args& args);
void alltoall_hierarchical(Communicator& comm, const Args& args);

}  // namespace rankscope
