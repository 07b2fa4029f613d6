// The network of a simulated run as a lesson's figure: its links, and how much of their bandwidth the run used.
#pragma once

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// Of the busier direction; at the links stands how many percent. `heading`: with the topology's title. The numbers are those of the topology, also where ranks have other places. Throws
/// UserError for a run without a topology.
Scene network_picture(const TraceAnalysis& analysis, bool heading);

}  // namespace rankscope
