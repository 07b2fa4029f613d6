// A job as words: "ranks=8", "dtype=int32", for commands, scripts and the form of the window.
#pragma once

#include <string>
#include <vector>

#include "engine/run/job/job.h"

namespace rankscope::gui {

/// algorithm, ranks, count, shape, dtype, op, root, transport, mode, segment, group, seed, input,
/// values (5,3,7,2 or 0,10;1,11), schedule, timeout, delay.R (microseconds before each message of
/// rank R). Throws UserError for an unknown key (with the keys) and a value that does not fit. Given
/// values are forgotten when another number of ranks or elements no longer fits them.
void set_job_word(JobSpec& job, const std::string& key, const std::string& value);
/// An algorithm's name and KEY=VALUE words.
void set_job_words(JobSpec& job, const std::vector<std::string>& words);

}  // namespace rankscope::gui
