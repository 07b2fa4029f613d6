// The time-vs-rank diagram of a run too large for single arrows: ranks and time are merged into
// cells, with counts.
#pragma once

#include "engine/diagrams/spacetime.h"

namespace rankscope {

Scene overview(const Trace& trace, const SpacetimeOptions& options, const Ruler& ruler);

}  // namespace rankscope
