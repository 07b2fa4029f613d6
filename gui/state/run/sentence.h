// A job as a sentence, "allreduce by ring on 4 ranks with 16 float32, added up, over ipc", and from words such as "ring 16" or
// "broadcast from 2".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/base/collective.h"
#include "engine/core/base/error.h"
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
  std::string before;  ///< The word in front: "by", "on".
  std::string word;    ///< "4 ranks"
};

/// Returns the collective of the job's algorithm or of the automatic choice, or null.
const CollectiveTraits* traits_of_job(const JobSpec& job);
/// Returns an algorithm that teaches the collective: the one with the short name `before`, if there is one; else neither a star
/// nor a mere comparison.
std::string way_to(Collective collective, std::string_view before);

/// Returns the words that the job's algorithm uses, without defaults such as buffered sends.
std::vector<SentenceWord> sentence_of(const JobSpec& job);
/// Returns the sentence as one text, with a full stop.
std::string sentence_text(const JobSpec& job);

/// A word of a sentence that is not understood.
struct UnknownWord : UserError {
  UnknownWord(const std::string& says, std::string word_, std::vector<std::string> nearest_)
      : UserError(says), word(std::move(word_)), nearest(std::move(nearest_)) {}
  std::string word;  ///< In lower case.
  std::vector<std::string>
      nearest;  ///< Words that are understood and look like it, the nearest first.
};

/// Returns the job changed by words in any order: a collective, an algorithm, "16 ranks" or the first bare number, "32 float64"
/// or the second, an operator, "from 2", "over tcp", "on torus-2d" (with all its ranks by default), "simulated", "slow rank 1",
/// "fast" (no slow rank). The rest stays. Throws UnknownWord, or UserError for words that do not fit.
JobSpec job_said(JobSpec job, std::string_view text);

/// algorithm, ranks, count, shape, dtype, op, root, transport, mode, segment, group, seed, input,
/// values (5,3,7,2 or 0,10;1,11), schedule, timeout, delay.R (microseconds before each message of
/// rank R). Throws UserError for an unknown key (with the keys) and a value that does not fit. Given
/// values are forgotten when another number of ranks or elements no longer fits them.
void set_job_word(JobSpec& job, const std::string& key, const std::string& value);
/// Sets the job from an algorithm's name and KEY=VALUE words.
void set_job_words(JobSpec& job, const std::vector<std::string>& words);

/// Returns the topologies that come with rankscope, if they are installed.
const std::vector<std::string>& known_topologies();
bool is_topology(std::string_view word);
/// Returns the number of its ranks; 0 if it cannot be read.
int ranks_of_topology(const std::string& name);

/// Returns completions of the typed sentence whose last word, after "on", begins a topology's name.
std::vector<std::string> with_topologies(const std::string& typed);

}  // namespace rankscope::gui
