// Writes a job as a sentence, "Allreduce by ring on 4 ranks with 16 float32, added up, over ipc.", and sets its fields by
// KEY=VALUE.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

/// Returns the algorithm of this short name, the collective `now`'s if it has one, or null. Unless `is_meant` (the collective is
/// named), "doubling" is an allreduce's if `now` has none.
const Algorithm* algorithm_called(std::string_view name, const CollectiveTraits* now,
                                  bool is_meant);

/// Returns the words that the job's algorithm uses, without defaults such as buffered sends.
std::vector<SentenceWord> sentence_of(const JobSpec& job);
/// Returns the sentence as one text, with a full stop.
std::string sentence_text(const JobSpec& job);

/// Sets a field: algorithm, ranks, count, shape, dtype, op, root, transport, mode, segment, group, seed, input,
/// values (5,3,7,2 or 0,10;1,11), schedule, timeout, delay.R (microseconds before each message of
/// rank R) ... Throws UserError for an unknown key (with all keys) and a value that does not fit. Drops
/// given values that no longer fit the ranks or elements.
void set_job_word(JobSpec& job, const std::string& key, const std::string& value);
/// Sets the job from an algorithm's name and KEY=VALUE words.
void set_job_words(JobSpec& job, const std::vector<std::string>& words);

/// Returns the topologies that come with rankscope, if they are installed.
const std::vector<std::string>& known_topologies();
bool is_topology(std::string_view word);
/// Returns the topology's number of ranks; 0 if it cannot be read.
int ranks_of_topology(const std::string& name);

/// Returns completions of a sentence that ends with "on" and the beginning of a topology's name.
std::vector<std::string> with_topologies(const std::string& typed);

}  // namespace rankscope::gui
