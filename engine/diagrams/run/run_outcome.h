// The run behind a trace for a picture: its name and outcome in a few words, its stuck ranks, and what a user chose of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/analysis/findings/blocked_ranks.h"
#include "engine/analysis/trace_analysis.h"
#include "engine/core/base/types.h"
#include "engine/core/trace/trace.h"

namespace rankscope {

/// Returns "allreduce.ring"; "run" if the trace does not say.
std::string run_name(const TraceMeta& meta);
/// Returns "allreduce.ring, 4 ranks".
std::string run_title(const TraceMeta& meta, int ranks);
/// Returns "Statistics: allreduce.ring"; the word alone if the trace does not name the run.
std::string titled(std::string_view word, const TraceMeta& meta);
/// Returns "timed out", "rank 2 was killed by signal 9 (Killed)" or "recorded without its end"; empty if the run ended
/// well, or a complete trace does not say how.
std::string run_outcome(const Trace& trace);
/// Returns "never received" or, while the run goes on, "not received yet".
std::string_view unreceived_words(const Trace& trace);
/// Returns "2 messages were never received".
std::string unreceived_text(const Trace& trace, std::uint64_t messages);
/// Returns "timed out · WORDS"; the words alone if the run ended well.
std::string with_outcome(const Trace& trace, const std::string& words);

/// A traced run's collective and sizes: from TraceMeta::job, else (a student's program, a damaged file) as far as its
/// watched buffers show them.
struct TracedJob {
  explicit TracedJob(const TraceAnalysis& analysis);

  const CollectiveTraits* collective = nullptr;  ///< Null for a program.
  std::vector<std::int64_t> shape;  ///< Shape of one rank's input; empty where not known.
  std::size_t element_bytes = 0;    ///< 0: not known.
  int scatter_dim = 0, gather_dim = 0;
  /// D, as lower bounds count it; 0 if unknown.
  std::uint64_t data_bytes = 0;
};

/// Returns the name of a simulated run's network; empty where it has none, or it cannot be read.
std::string network_title(const TraceMeta& meta);

/// Returns whether this is an all-to-all in which each message carries just its sender's chunk for its receiver; false
/// where the trace does not say its job.
bool sends_chunks_directly(const TraceAnalysis& analysis);

/// The ranks of a run that are blocked for ever or were lost.
struct StuckRanks {
  BlockedRanks blocked;  ///< None if a rank was lost.
  std::vector<Rank> lost;
  std::string lost_what,
      lost_why;  ///< The first loss, "rank 2 was killed by signal 9 (Killed)", and its reason.

  bool is_lost(Rank rank) const noexcept;
  bool any() const noexcept { return !blocked.groups.empty() || !lost.empty(); }
};

/// Returns none for a run that ended well, or that has very many events.
StuckRanks stuck_ranks(const TraceAnalysis& analysis);

/// The message, rank or chunk that is emphasized while the rest is pale; -1: none.
struct SceneChoice {
  std::int64_t message = -1;  ///< Index in Rounds::messages.
  Rank rank = -1;
  int chunk = -1;
  bool any() const noexcept { return message >= 0 || rank >= 0 || chunk >= 0; }
  bool operator==(const SceneChoice&) const = default;
};

/// Throws UserError for ranks that the run lacks (naming those that it has), and for ranks listed twice.
void check_ranks(const std::vector<Rank>& ranks, int world);
/// Returns the first and the last round; `last` 0 stands for the run's last one, `count`. Throws UserError for a range
/// that the run does not have.
std::pair<int, int> chosen_rounds(int first, int last, int count);

}  // namespace rankscope
