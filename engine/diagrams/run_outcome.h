// How the run behind a trace ended, in a few words for a picture.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// "timed out", "rank 2 was killed by signal 9 (Killed)"; empty: it ended well, or nobody knows.
std::string run_outcome(const Trace& trace);
/// What to say of a message without a receive: while the run goes on, it is only on its way.
std::string_view unreceived_words(const Trace& trace);
/// The words below a title, and how the run ended before them where it did not end well.
std::string with_outcome(const Trace& trace, const std::string& words);

}  // namespace rankscope
