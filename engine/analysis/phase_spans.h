// The times at which the phases of a run last, by their messages.
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

/// A time span of a phase, on some clock.
struct PhaseSpan {
  std::string name;  ///< See phase_path().
  double begin = 0, end = 0;
};

/// The spans, by beginning. `when` gives the begin and end of a message (by its place in `rounds`) on some clock, or
/// nothing where it does not count. A phase that ranks enter again after messages of others has a span each time, or one
/// span where there would be many, as for the segments of a pipeline.
std::vector<PhaseSpan> phase_spans(
    const Trace& trace, const Rounds& rounds,
    const std::function<std::optional<std::pair<double, double>>(std::size_t)>& when);

}  // namespace rankscope
