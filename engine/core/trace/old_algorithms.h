// Finds the collective of traces written before trace files recorded it.
#pragma once

#include <optional>

#include "engine/core/run/trace_meta.h"

namespace rankscope {

/// Returns the collective if the job proves that one of our algorithms ran and its name is exactly one of those that
/// existed then; nothing for a program, whatever its name.
std::optional<Collective> collective_of_old_trace(const TraceMeta& meta);

}  // namespace rankscope
