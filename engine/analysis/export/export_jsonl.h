// A trace as JSON Lines: for scripts.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// The first line describes the run ("type": "run"); then follows one line per event, in order, with names instead of
/// numbers; fields that do not apply are left out. Operations are "rank:number" texts.
/// With contents: `values`, those of the changed samples (see Sampling).
void export_jsonl(const Trace& trace, std::ostream& out);

/// A choice of events: of one rank (-1 for all), from this index on, at most `limit`.
struct EventChoice {
  Rank rank = -1;
  std::uint64_t from = 0;
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  /// The run's events before the first one of a part of it; indices count them.
  std::uint64_t before = 0;
};
/// The same with the chosen events only, and without the first line for a part that is not the run's first.
void export_jsonl(const Trace& trace, std::ostream& out, const EventChoice& choice);

}  // namespace rankscope
