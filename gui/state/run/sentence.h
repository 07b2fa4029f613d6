// A job as the sentence that is its form, "allreduce by ring on 4 ranks with 16 float32, added up, over ipc", and back
// from what somebody says: "ring 16", "broadcast from 2".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/collective.h"
#include "engine/run/job/job.h"

namespace rankscope::gui {

/// The choice behind a word of the sentence.
enum class JobPart : std::uint8_t {
  collective,
  algorithm,
  ranks,
  data,
  op,
  root,
  transport,
  mode,
  delays
};

struct SentenceWord {
  JobPart part;
  std::string before;  ///< "by", "on": what stands in front of it.
  std::string word;    ///< "4 ranks"
};

/// Returns the collective of the job's algorithm or of the automatic choice, or null.
const CollectiveTraits* traits_of_job(const JobSpec& job);
/// An algorithm of the collective that teaches it: `before`, the short name of another one's, if it has the same; else no
/// star and no mere comparison.
std::string way_to(Collective collective, std::string_view before);

/// Only the words that the job's algorithm has a use for; what goes without saying (buffered sends) is left out.
std::vector<SentenceWord> sentence_of(const JobSpec& job);
/// As one text, with a full stop.
std::string sentence_text(const JobSpec& job);

/// The job after what was said about it, in any order: a collective, an algorithm, "16 ranks" or the first bare number,
/// "32 float64" or the second, an operator, "from 2", "over tcp", "on torus-2d" (all of its ranks, where nothing is said of them), "simulated", "slow rank 1", "fast" (nobody is slow). What is not mentioned stays. Throws
/// UserError for a word that means nothing here, and says what would.
JobSpec job_said(JobSpec job, std::string_view text);

/// algorithm, ranks, count, shape, dtype, op, root, transport, mode, segment, group, seed, input,
/// values (5,3,7,2 or 0,10;1,11), schedule, timeout, delay.R (microseconds before each message of
/// rank R). Throws UserError for an unknown key (with the keys) and a value that does not fit. Given
/// values are forgotten when another number of ranks or elements no longer fits them.
void set_job_word(JobSpec& job, const std::string& key, const std::string& value);
/// An algorithm's name and KEY=VALUE words.
void set_job_words(JobSpec& job, const std::vector<std::string>& words);

/// Those that come with rankscope; none where they are not installed.
const std::vector<std::string>& known_topologies();
bool is_topology(std::string_view word);
/// How many ranks it has; 0: it cannot be read.
int ranks_of_topology(const std::string& name);

/// The whole sentences that the typed one may become: its last word, after "on", begins a topology's name.
std::vector<std::string> with_topologies(const std::string& typed);

}  // namespace rankscope::gui
