// Two runs on one clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/core/trace.h"
#include "engine/diagrams/ruler.h"
#include "engine/diagrams/scene.h"
#include "engine/diagrams/spacetime.h"

namespace rankscope {

struct ComparisonOptions {
  SpacetimeOptions::Clock clock = SpacetimeOptions::Clock::rounds;
  SpacetimeOptions::Labels labels = SpacetimeOptions::Labels::chunks;
  /// Time downwards and the runs side by side; otherwise time to the right and one above the other,
  /// so that equal times stand below each other.
  bool portrait = false;
  std::optional<std::string> title;  ///< Nothing: made from the traces. Empty: none.
};

/// Their space-time diagrams with one scale of time, their figures, and where they begin to differ:
/// runs of one algorithm step by step (see first_difference()), of two in their messages.
Scene comparison(const Trace& a, const Trace& b, const ComparisonOptions& options,
                 const Ruler& ruler);

/// Where two runs begin to differ, for a picture.
struct Parting {
  std::string text;  ///< A sentence; empty: they do not differ.
  /// The message at it in each run, as an index into messages(); nothing: none there.
  std::optional<std::size_t> a, b;
};
Parting parting(const Trace& a, const Trace& b);

}  // namespace rankscope
