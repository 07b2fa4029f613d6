// The collective of traces that were written before trace files said it.
#pragma once

#include <optional>

#include "engine/core/run/trace_meta.h"

namespace rankscope {

/// When the job proves that an algorithm of ours ran, and its name is exactly one of those that there
/// were; nothing for a program, whatever it is called.
std::optional<Collective> collective_of_old_trace(const TraceMeta& meta);

}  // namespace rankscope
