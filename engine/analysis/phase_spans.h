// When the phases of a run last, by their messages.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/analysis/events/rounds.h"
#include "engine/core/trace/trace.h"

namespace rankscope {

struct PhaseSpan {
  std::string name;  ///< See phase_path().
  double begin = 0, end = 0;
};

/// In the order in which they begin. `when`: from when to when a message (its place in `rounds`) lasts on some clock; none: it
/// does not count. A phase that ranks enter again, after messages of others, is a span each time; where this would be more than
/// a few, as for the segments of a pipeline, it is one.
std::vector<PhaseSpan> phase_spans(
    const Trace& trace, const Rounds& rounds,
    const std::function<std::optional<std::pair<double, double>>(std::size_t)>& when);

}  // namespace rankscope
