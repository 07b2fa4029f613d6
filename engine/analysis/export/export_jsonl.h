// A trace as JSON Lines: for scripts.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// The first line describes the run ("type": "run"); then one line an event, in order, with names
/// instead of numbers; fields that do not apply are left out. Operations are "rank:number" texts.
/// With contents: `values`, those of the changed samples (see Sampling).
void export_jsonl(const Trace& trace, std::ostream& out);

/// Which events: those of one rank (-1: of all), from this index on, at most so many.
struct EventChoice {
  Rank rank = -1;
  std::uint64_t from = 0;
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  /// The run's events before the first one of a part of it; indices count them.
  std::uint64_t before = 0;
};
/// The same with the chosen events only; of a part that is not the run's first without the first line.
void export_jsonl(const Trace& trace, std::ostream& out, const EventChoice& choice);

}  // namespace rankscope
