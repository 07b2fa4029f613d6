// A job from what people say: "ring 16", "broadcast from 2", "what if rank 2 is slow", "64 on a torus".
#pragma once

#include <string>
#include <string_view>

#include "engine/run/job/job.h"
#include "gui/state/run/plain_words.h"

namespace rankscope::gui {

struct Said {
  JobSpec job;
  /// It names a run of its own, by collective or by algorithm and ranks ("ring 16"), and no change of another one.
  bool whole = false;
  bool adds = false;  ///< Begins with "and" or "also": it is added to what was changed before.
  bool of_network = false;  ///< Changes links, speed or places of a network.
  std::string
      reading;  ///< Which words were read otherwise or left out; empty where all are understood.
  std::string
      bare_number;  ///< A number that was taken for that of the ranks, and could be one of elements.
  bool of_shown =
      false;  ///< said_of(): the run that is shown is changed, with the changes made before.
};

/// Returns the job changed by words in any order: a collective or an algorithm; ranks and data ("16 ranks", "32 float64", "1 GiB",
/// the first bare number and the second, "twice as much data"); an operator; "from 2"; "over tcp"; "on torus-2d" (a topology that
/// comes with rankscope, with all its ranks by default), "64 on a torus" (one that is made in this size), "simulated", "without
/// link 0-1", "twice as fast", "latency 10 us"; "slow rank 1", "fast" (no slow rank); "other direction", "other order",
/// "rendezvous". The rest stays, but the data grow to an element a rank. Slips of the keys are mended, and words that name no
/// change are left out of a question, except a negation and what follows a number. Throws UnknownWord, or UserError for words
/// that do not fit.
Said hear(const JobSpec& job, std::string_view text);
/// As hear(), of words that are all understood.
Said listen(const JobSpec& job, std::vector<PlainWord> words, std::string_view text);
/// Returns hear()'s job.
JobSpec job_said(const JobSpec& job, std::string_view text);
/// Returns what `text` runs where `now` is the job: whatever was said before, a run that is named by its algorithm has only what the
/// words say.
Said job_to_run(const JobSpec& now, std::string_view text);

}  // namespace rankscope::gui
