// A diagram of the catalogue as an animation.
#pragma once

#include <string>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/catalogue.h"
#include "engine/diagrams/moving/flipbook.h"

namespace rankscope {

/// Returns one moment for a diagram without motion. `with_buffers` adds a panel with the buffers below the time-vs-rank
/// diagram of a small run in rounds. `for_video` allows more pictures per moment, because a video's are painted one by
/// one. Throws UserError for too many moments.
Flipbook animation(const DiagramKind& kind, const TraceAnalysis& analysis,
                   const DiagramRequest& request, bool with_buffers, bool for_video = false);

Flipbook motionless(Scene scene);

/// Makes the sentences of the steps the moments' captions: book.moments[1] shows the end of step `first_step`. The last
/// step's caption also says what went wrong. Large runs keep the captions that they have.
void narrate(Flipbook& book, const TraceAnalysis& analysis, int first_step);

/// Adds captions as lines below the panels, for pictures without a page around them.
void show_captions(Flipbook& book);

/// Returns a picture's text for people who cannot see it: its description and the run's sentences, or (`step` 0 or
/// more) that step's sentence. A run of many steps gets only the sentences on its start and its outcome.
std::string described(const std::string& description, const TraceAnalysis& analysis, int step = -1);

}  // namespace rankscope
