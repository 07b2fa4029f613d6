// Computes, packs and unpacks the blocks that an all-to-all sends and receives.
#include "engine/collectives/alltoall_blocks.h"

namespace rankscope {

AlltoallBlocks::AlltoallBlocks(Communicator& comm, const Args& args)
    : comm_(comm),
      args_(args),
      part_(args.in.shape()[args.scatter_dim], comm.size()),
      slab_(args.in.shape().outer(args.scatter_dim) * args.in.shape().inner(args.scatter_dim)),
      in_runs_(args.in.shape().outer(args.scatter_dim)),
      out_runs_(args.out.shape().outer(args.gather_dim)) {
  if (in_runs_ > 1) packed_ = comm.scratch(args.in.dtype(), args.in.count(), "packed");
  if (out_runs_ > 1) unplaced_ = comm.scratch(args.out.dtype(), args.out.count(), "unplaced");
}

Slice AlltoallBlocks::outgoing(Rank to) {
  const Range chunk = part_[to];
  const Range block{slab_ * chunk.offset, slab_ * chunk.count};
  if (in_runs_ <= 1) return args_.in[block];
  const Slice packed = packed_[block];
  const Count inner = args_.in.shape().inner(args_.scatter_dim);
  const Count run = chunk.count * inner;
  for (Count i = 0; i < in_runs_; ++i)
    comm_.copy(packed[{i * run, run}], args_.in[{(i * part_.count() + chunk.offset) * inner, run}]);
  return packed;
}

Slice AlltoallBlocks::incoming(Rank from) {
  const Count block = count(comm_.rank());
  const Buffer& where = out_runs_ > 1 ? unplaced_ : args_.out;
  return where[{from * block, block}];
}

void AlltoallBlocks::place(Rank from, const Slice& block) {
  if (block.empty()) return;
  if (out_runs_ <= 1) {
    const Slice there = incoming(from);
    if (there.data() != block.data()) comm_.copy(there, block);
    return;
  }
  const Count run = block.count() / out_runs_;
  for (Count i = 0; i < out_runs_; ++i)
    comm_.copy(args_.out[{(i * comm_.size() + from) * run, run}], block[{i * run, run}]);
}

}  // namespace rankscope
