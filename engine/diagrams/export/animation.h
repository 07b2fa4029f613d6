// A diagram of the catalogue as an animation.
#pragma once

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/catalogue.h"
#include "engine/diagrams/moving/flipbook.h"

namespace rankscope {

/// One without motion has one moment. `with_buffers`: the time-vs-rank diagram of a small run in rounds
/// has a second panel, the buffers. `for_video`: more pictures on the way from moment to moment, as they are painted
/// one after the other and never stored in a file. Throws UserError for too many moments.
Flipbook animation(const DiagramKind& kind, const TraceAnalysis& analysis,
                   const DiagramRequest& request, bool with_buffers, bool for_video = false);

/// A picture as a flipbook of one moment.
Flipbook motionless(Scene scene);

}  // namespace rankscope
