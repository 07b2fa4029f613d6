// Signs of mistakes that need no statement of what was meant: nothing sent, only zeros, elements for bytes.
#pragma once

#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/run/trace_meta.h"

namespace rankscope::meant {

/// Adds hints, and a warning for numbers of bytes that are numbers of elements.
void add_hints(const finder::TraceOperations& facts, const Handed* observed,
               finder::Report& report);

}  // namespace rankscope::meant
