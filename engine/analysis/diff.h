// Finds the first difference between two runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// A difference between two runs. Time, the order in which ranks and messages got along, and waiting may differ between
/// runs of one program, so each strand of each rank is compared in program order: posted operations, work and phases,
/// with peers, tags, sizes and, where both traces have them, resulting contents.
struct Difference {
  Rank rank = -1;
  std::uint16_t strand = 0;
  std::uint64_t step = 0;  ///< Number of equal steps of this strand.
  /// Position of the step in each trace; nothing where that trace has no further step there.
  std::optional<std::uint64_t> left, right;
  std::string what;  ///< "sends to rank 2, not to rank 1"
  /// The events whose contents differ, where the contents are the difference.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> contents = {};
  /// For a receive: the event at which it got its message, if it did.
  std::optional<std::uint64_t> left_done = {}, right_done = {};
};

/// Which steps count. `messages`: sends, receives and calls of built-ins, with peers, tags, sizes and values; not the names of
/// buffers and phases, nor places in memory, which an edit of the program changes.
enum class Compared : std::uint8_t { steps, messages };

/// The first difference in the order of cause and effect: no other one can have led to it. Among several, that with the
/// fewest steps and messages before it, then that of the lowest rank; never by time, which differs from run to run.
/// Nothing when the runs are equal.
std::optional<Difference> first_difference(const Trace& left, const Trace& right,
                                           Compared what = Compared::steps);

/// A step in words: "send 64 bytes to rank 2 in phase allgather".
std::string describe(const Trace& trace, std::uint64_t k);

}  // namespace rankscope
