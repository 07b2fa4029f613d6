// Converts an event of a trace to a grader's fault, and back.
#pragma once

#include "engine/core/trace/trace.h"

namespace rankscope {

/// Returns an event's rank and number as a fault; empty if the trace lacks it.
RunFault fault_at(const Trace& trace, std::uint64_t event);
/// Returns the fault's event; kNoEvent if it has none, or the trace lacks it.
std::uint64_t event_of(const Trace& trace, const RunFault& fault);

}  // namespace rankscope
