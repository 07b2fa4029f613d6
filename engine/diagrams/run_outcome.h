// How the run behind a trace ended, in a few words for a picture.
#pragma once

#include <string>

#include "engine/core/trace.h"

namespace rankscope {

/// "timed out", "rank 2 was killed by signal 9 (Killed)"; empty: it ended well, or nobody knows.
std::string run_outcome(const Trace& trace);

}  // namespace rankscope
