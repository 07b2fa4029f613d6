// Finds the first difference between two runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// A difference between two runs. Times, waits, and the order between ranks and messages may differ between runs of one
/// program, so each strand of each rank is compared in program order: posted operations, work and phases, with peers,
/// tags, sizes and, if both traces have them, the resulting contents.
struct Difference {
  Rank rank = -1;
  std::uint16_t strand = 0;
  std::uint64_t step = 0;  ///< The number of this strand's equal steps before it.
  /// The step's position in each trace; nothing if that trace's strand has no further step.
  std::optional<std::uint64_t> left, right;
  std::string what;  ///< "sends to rank 2, not to rank 1"
  /// The events whose contents differ, if that is the difference.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> contents = {};
  /// For a receive: the event at which it got its message, if it did.
  std::optional<std::uint64_t> left_done = {}, right_done = {};
};

/// The steps to compare: all, or (`messages`) only sends, receives and calls of built-ins with peers, tags, sizes and values,
/// but without names and places of buffers, which an edit of the program changes.
enum class Compared : std::uint8_t { steps, messages };

/// Returns the first difference in the order of cause and effect: one that no other can have led to. Of several, returns
/// the one with the fewest steps and messages before it, then the lowest rank's; time does not count, because it differs
/// from run to run. Returns nothing for equal runs.
std::optional<Difference> first_difference(const Trace& left, const Trace& right,
                                           Compared what = Compared::steps);

/// Returns a step in words: "send 64 bytes to rank 2 in phase allgather".
std::string describe(const Trace& trace, std::uint64_t k);

}  // namespace rankscope
