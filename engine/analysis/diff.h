// Where two runs begin to differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// Compares two runs apart from what may differ between runs of one program: time, the order in
/// which ranks (and messages on their way) got along, and whether somebody had to wait. So each
/// strand of each rank is compared in program order: what it posted, did and called phases, with
/// peers, tags, sizes and, where both traces have them, resulting contents.
struct Difference {
  Rank rank = -1;
  std::uint16_t strand = 0;
  std::uint64_t step = 0;  ///< How many steps of this strand are equal.
  /// Position of the step in each trace; nothing: that trace has no further step there.
  std::optional<std::uint64_t> left, right;
  std::string what;  ///< "sends to rank 2, not to rank 1"
};

/// The first one in the order of cause and effect: no other difference can have led to it. Of those
/// that have no such order, the one with the fewest steps and messages before it, then the one of the
/// lowest rank; never by time, which is another in each run. Nothing when the runs are equal.
std::optional<Difference> first_difference(const Trace& left, const Trace& right);

/// One step for a person: "send 64 bytes to rank 2 in phase allgather".
std::string describe(const Trace& trace, std::uint64_t k);

}  // namespace rankscope
