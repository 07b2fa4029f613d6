// A trace as JSON Lines: for scripts.
#pragma once

#include <iosfwd>

#include "engine/core/trace.h"

namespace rankscope {

/// The first line describes the run ("type": "run"); then one line an event, in order, with names
/// instead of numbers; fields that do not apply are left out. Operations are "rank:number" texts.
/// With contents: `values`, those of the changed samples (see Sampling).
void export_jsonl(const Trace& trace, std::ostream& out);

}  // namespace rankscope
