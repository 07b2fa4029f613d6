// A job from what people say: "ring 16", "broadcast from 2", "what if rank 2 is slow", "64 on a torus".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/run/job/job.h"
#include "gui/state/run/plain_words.h"

namespace rankscope::gui {

struct ParsedJob {
  JobSpec job;
  /// It names a run, by collective or by algorithm and ranks ("ring 16"), not a change of another one.
  bool whole = false;
  bool adds = false;        ///< Begins with "and" or "also": earlier changes stay.
  bool of_network = false;  ///< Changes links, speed or places of a network.
  std::string reading;      ///< Words that were read otherwise or left out; else empty.
  std::vector<std::string>
      unclear;              ///< Set by parse_words(): words without an effect, as "6 steps".
  std::string bare_number;  ///< A number of ranks that could be meant as elements.
  std::string against;      ///< The algorithm to compare with; empty if the question compares none.
  bool of_shown =
      false;  ///< Set by parse_what_if(): changes the shown run, whose earlier changes stay.
};

/// Returns the job changed by words in any order: a collective or an algorithm; ranks and data ("16 ranks", "32 float64", "1 GiB",
/// the first bare number and the second, "twice as much data"); an operator; "from 2"; "over tcp"; "on torus-2d" (a topology that
/// comes with rankscope, by default with all its ranks), "64 on a torus" (made in this size), "simulated", "without
/// link 0-1", "twice as fast", "latency 10 us"; "slow rank 1", "fast" (no slow rank); "other direction", "other order",
/// "rendezvous". The rest stays, but the data grow to an element per rank. Corrects mistyped words, and leaves words that name no
/// change out of a question, except negations and what follows a number. Throws UnknownWord, or UserError for words that do not
/// fit.
ParsedJob parse_job(const JobSpec& job, std::string_view text);
/// Does as parse_job(), but throws UnknownWord for each word that is not understood.
ParsedJob parse_words(const JobSpec& job, std::vector<PlainWord> words, std::string_view text);
/// Returns what `text` runs while `now` is the job. A run that the words name takes only its collective from `now` if they name
/// none; all else has defaults.
ParsedJob job_to_run(const JobSpec& now, std::string_view text);

}  // namespace rankscope::gui
