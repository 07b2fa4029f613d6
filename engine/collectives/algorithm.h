// A collective algorithm as the rest of the program sees it: a function on a Communicator, and facts about it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/buffer.h"
#include "engine/core/base/collective.h"

namespace rankscope {

class Communicator;

/// Input and output of one collective call on one rank.
///
///   collective      in (elements)       out (elements)        what out holds afterwards
///   p2p             n                   n                     ranks 0, 1: rank 0's in; others: in
///   p2p_shift       n                   n                     the left neighbour's in
///   barrier         -                   -
///   broadcast       n                   n                     the root's in
///   reduce          n                   n                     root: the reduction; others: anything
///   allreduce       n                   n                     the reduction
///   gather          n                   root: P*n, others 0   all ins in rank order
///   allgather       n                   P*n                   all ins in rank order
///   scatter         root: n, others 0   Partition(n,P)[rank]  the root's chunk
///   reduce_scatter  n                   Partition(n,P)[rank]  this rank's chunk of the reduction
///   alltoall        n (shape)           see alltoall_shape    chunk `rank` of every rank's in, in
///                                                             rank order along gather_dim
///
/// Algorithms do not change `in`. Where in and out have the same size, `out` starts as a copy of `in`
/// (reduce: the algorithm works in `out`). For AVG, algorithms accumulate sums;
/// run_algorithm divides at the end.
struct Args {
  Buffer in = {}, out = {};
  ReduceOp op = ReduceOp::sum;
  Rank root = 0;
  int scatter_dim = 0;
  int gather_dim = 0;
  std::uint64_t segment_bytes = 0;  ///< For pipelined algorithms; 0: the algorithm's default.
  int group_size = 0;               ///< For hierarchical algorithms; 0: about the square root of P.
  int radix = 0;                    ///< For k-nomial trees and the like; 0: 4.
  /// Makes a ring follow the homework: it sends to the left neighbour, and rank n starts with chunk n-1.
  bool left_ring = false;
  const struct Schedule* schedule =
      nullptr;  ///< The schedule that NAME.schedule runs (schedule.h).
};

/// A call for which closed forms are computed.
struct ClosedFormInput {
  int n = 1;         ///< Ranks.
  Shape shape = {};  ///< As in extents_of().
  DType dtype = DType::float32;
  Rank root = 0;
  int scatter_dim = 0;
  std::uint64_t segment_bytes = 0;
  int group_size = 0;
  int radix = 0;
};

/// Abilities that only some algorithms have.
struct AlgorithmFeatures {
  bool divides_for_avg = false;   ///< The function divides by itself (or should) for AVG.
  bool takes_segments = false;    ///< Args::segment_bytes.
  bool takes_group_size = false;  ///< Args::group_size.
  bool takes_radix = false;       ///< Args::radix.
  bool takes_direction = false;   ///< Args::left_ring.
  /// Switches of the network take part. A simulation needs a topology with reducing switches
  /// (core/message/reducing_tree.h).
  bool in_network = false;
};

struct Algorithm {
  std::string_view name;  ///< "allreduce.ring": file stem and function are allreduce_ring.
  Collective collective = Collective::barrier;
  void (*run)(Communicator&, const Args&) = nullptr;
  std::string_view title = {};     ///< "ring allreduce"
  std::string_view best_use = {};  ///< "large messages, any number of ranks"
  std::string_view source = {};    ///< Paper and section.
  /// Rounds, as engine/core/trace/README.md defines them; each strand's sends count apart. Tests compare it
  /// with traces. Null for schedules and exercises, and for plug-ins that do not give it.
  std::int64_t (*rounds)(const ClosedFormInput& in) = nullptr;
  /// Bytes sent by the busiest rank: exact, whatever the lengths of chunks. Null as `rounds`.
  std::uint64_t (*busiest_bytes)(const ClosedFormInput& in) = nullptr;
  AlgorithmFeatures features = {};

  /// "ring" of "allreduce.ring": what its collective does not say already.
  std::string_view short_name() const noexcept { return name.substr(name.find('.') + 1); }
};

/// All algorithms: the built-in ones by collective, in teaching order, then those of loaded plug-ins. A table, no
/// static registration.
std::span<const Algorithm> algorithms();
/// The algorithms of this library. A program that links another definition of algorithms() has more.
std::span<const Algorithm> built_in_algorithms();
/// Faulty or wasteful programs, for lessons in which one finds out why. Listed only on request.
std::span<const Algorithm> exercises();
/// Searches algorithms(), schedule_algorithms() and exercises(); returns null if there is none of this name.
const Algorithm* find_algorithm(std::string_view name) noexcept;
/// Throws UserError with the nearest names.
const Algorithm& require_algorithm(std::string_view name);
/// Also throws for an algorithm of another collective.
const Algorithm& require_algorithm(std::string_view name, Collective collective);

/// Runs an algorithm and finishes AVG. Checks op against dtype and root against the size.
void run_algorithm(Communicator& comm, const Algorithm& algorithm, const Args& args);

/// Shape of alltoall's output on `rank` of `n`: scatter_dim keeps chunk `rank` of its extent, then
/// gather_dim grows n-fold (the sum over sources).
Shape alltoall_shape(const Shape& in, int scatter_dim, int gather_dim, int n, Rank rank);

/// The shapes of in and out on a rank, as in the table above.
struct Extents {
  Shape in, out;
};
Extents extents_of(Collective collective, const Shape& shape, int n, Rank rank, Rank root,
                   int scatter_dim, int gather_dim);

}  // namespace rankscope
