// A diagram of the catalogue as an animation.
#pragma once

#include <string>

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

/// The moments after the start are the ends of steps `first_step` and on: each one's caption becomes its step's
/// sentence. That of the last step says, too, what went wrong. Large runs keep their captions.
void narrate(Flipbook& book, const TraceAnalysis& analysis, int first_step);

/// Captions as lines below the panels, for pictures that have no page around them.
void show_captions(Flipbook& book);

/// A picture's words for those who do not see it: what it said, and the sentences of the run, or (`step` 0 or more)
/// that of one step. Of many steps only the first and the last sentence.
std::string described(const std::string& description, const TraceAnalysis& analysis, int step = -1);

}  // namespace rankscope
