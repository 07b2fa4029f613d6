// The name and the outcome of the run behind a trace, in a few words for a picture.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// Returns "allreduce.ring"; "run" if the trace does not say.
std::string run_name(const TraceMeta& meta);
/// Returns "allreduce.ring, 4 ranks".
std::string run_title(const TraceMeta& meta, int ranks);
/// Returns "Statistics: allreduce.ring"; the word alone if the trace does not name the run.
std::string titled(std::string_view word, const TraceMeta& meta);
/// Returns "timed out", "rank 2 was killed by signal 9 (Killed)"; empty if it ended well, or the trace does not say.
std::string run_outcome(const Trace& trace);
/// Returns the words for a message without a receive: while the run goes on, it is only on its way.
std::string_view unreceived_words(const Trace& trace);
/// Returns "2 messages were never received".
std::string unreceived_text(const Trace& trace, std::uint64_t messages);
/// Returns the words below a title, after how the run ended unless it ended well.
std::string with_outcome(const Trace& trace, const std::string& words);

}  // namespace rankscope
