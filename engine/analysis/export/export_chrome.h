// A trace in the Chrome trace event format: opens in Perfetto and chrome://tracing.
#pragma once

#include <iosfwd>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// A process a rank, a thread a strand; phases, work and waiting are slices, a message is an arrow
/// (flow) from its send to its receive. Times in microseconds. Written event by event.
void export_chrome(const Trace& trace, std::ostream& out);

}  // namespace rankscope
