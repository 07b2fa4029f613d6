// Blocks of an all-to-all: which elements of an N-dimensional array go to which rank, and where
// they come to lie. Packed only where they are not one run of memory already.
#pragma once

#include "engine/collectives/algorithm.h"
#include "engine/core/message/communicator.h"

namespace rankscope {

class AlltoallBlocks {
 public:
  AlltoallBlocks(Communicator& comm, const Args& args);

  /// Elements of a block that goes to `to` (the same from every rank).
  Count count(Rank to) const noexcept { return slab_ * part_[to].count; }
  Count longest() const noexcept { return slab_ * part_.longest(); }
  /// Returns the block for `to`, ready to be sent.
  Slice outgoing(Rank to);
  /// Returns where to receive the block of `from`: in out itself, or in scratch memory.
  Slice incoming(Rank from);
  /// Brings a received block to its place in out (does nothing where it is there already).
  void place(Rank from, const Slice& block);
  /// The block that this rank keeps.
  void place_own() { place(comm_.rank(), outgoing(comm_.rank())); }

 private:
  Communicator& comm_;
  const Args& args_;
  Partition part_;  ///< Parts of the scatter dimension.
  Count slab_;      ///< Elements of in at one position of the scatter dimension.
  Count in_runs_;   ///< Runs of memory that make up an outgoing block.
  Count out_runs_;  ///< Runs that make up an incoming block in out.
  Buffer packed_, unplaced_;
};

}  // namespace rankscope
