// A trace in the Chrome trace event format: opens in Perfetto and chrome://tracing.
#pragma once

#include <iosfwd>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// One process per rank, one thread per strand; phases, work and waiting are slices, a message is an arrow (flow) from
/// its send to its receive. Times are in microseconds. Written event by event.
void export_chrome(const Trace& trace, std::ostream& out);

}  // namespace rankscope
