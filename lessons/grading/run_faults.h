// The places of a grader's faults in a trace.
#pragma once

#include "engine/core/trace/trace.h"

namespace rankscope {

/// The fault's event in the trace that it is of.
RunFault fault_at(const Trace& trace, std::uint64_t event);
/// kNoEvent: it has none, or the trace lacks it.
std::uint64_t event_of(const Trace& trace, const RunFault& fault);

}  // namespace rankscope
