// The catalogue of collectives, one row each. All other code looks their properties up here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/core/base/types.h"

namespace rankscope {

enum class Collective : std::uint8_t {
  p2p,          ///< Ping-pong: rank 0's data to rank 1 and back.
  p2p_message,  ///< Also called "p2p": rank 0's data to rank 1.
  p2p_shift,    ///< Also called "p2p": every rank's data to its right neighbour.
  barrier,
  broadcast,
  reduce,
  gather,
  scatter,
  allgather,
  reduce_scatter,
  allreduce,
  alltoall,
};

/// The number of elements that a rank passes in or gets out, given a job's n elements and P ranks.
enum class Extent : std::uint8_t {
  nothing,
  whole,          ///< n.
  whole_at_root,  ///< n on the root, 0 elsewhere.
  chunk,          ///< Partition(n, P)[rank].
  all,            ///< P*n: every rank's data, in rank order.
  all_at_root,    ///< The same on the root, 0 elsewhere.
  regrouped,      ///< Chunk `rank` of every rank's n, in rank order.
};

/// A number of bytes on N ranks as a multiple of D, the data: the coefficients of (N-1)/N, 1/N and 1.
struct Share {
  double of_others = 0, of_own = 0, whole = 0;
  constexpr double times(int n, double bytes) const noexcept {
    return bytes * (of_others * (n - 1) / n + of_own / n + whole);
  }
};

/// Lower bounds that hold for every algorithm (model/bandwidth.h).
struct CollectiveBounds {
  int rounds = kLog;  ///< The fewest, on two or more ranks.
  Share sent = {}, received = {};
  std::string_view rounds_why = {}, bytes_why = {}, source = {};
  static constexpr int kLog = -1;  ///< ceil(log2 N).
};

struct CollectiveTraits {
  Collective collective;
  std::string_view key;   ///< Unique; used in trace files.
  std::string_view name;  ///< For people, and the first part of an algorithm's name.
  Extent in, out;
  bool reduces = false;          ///< Combines the ranks' values by an operator.
  bool rooted = false;           ///< One rank, the root, gives or gets all data.
  bool result_at_root = false;   ///< Only the root's result is defined.
  bool same_everywhere = false;  ///< Every rank ends with the same output.
  bool reads_input = false;      ///< Works from `in` even where `out` starts as its copy.
  /// Bus bandwidth / algorithm bandwidth (nccl-tests, doc/PERFORMANCE.md).
  Share bus = {};
  CollectiveBounds bounds = {};

  /// Returns whether D is the total over all ranks, not one rank's part.
  bool counts_all_ranks() const noexcept {
    return out == Extent::all || out == Extent::all_at_root;
  }
  /// Returns whether the ranks' results are parts of one reduction.
  bool reduces_to_chunks() const noexcept { return reduces && out == Extent::chunk; }
};

/// Returns all collectives, in teaching order.
std::span<const CollectiveTraits> collectives() noexcept;
const CollectiveTraits& traits(Collective collective) noexcept;
/// Returns the first collective with this name, or null.
const CollectiveTraits* find_collective(std::string_view name) noexcept;
std::optional<Collective> collective_of_key(std::string_view key) noexcept;

inline std::string_view to_string(Collective collective) noexcept {
  return traits(collective).name;
}
inline bool reduces(Collective collective) noexcept { return traits(collective).reduces; }
inline bool has_root(Collective collective) noexcept { return traits(collective).rooted; }
inline bool same_everywhere(Collective collective) noexcept {
  return traits(collective).same_everywhere;
}

}  // namespace rankscope
