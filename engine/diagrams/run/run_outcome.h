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
/// Returns "timed out", "rank 2 was killed by signal 9 (Killed)"; empty if it ended well, or the trace does not say.
std::string run_outcome(const Trace& trace);
/// Returns the words for a message without a receive: while the run goes on, it is only on its way.
std::string_view unreceived_words(const Trace& trace);
/// Returns "2 messages were never received".
std::string unreceived_text(const Trace& trace, std::uint64_t messages);
/// Returns the words below a title, after how the run ended unless it ended well.
std::string with_outcome(const Trace& trace, const std::string& words);

/// From TraceMeta::job; defaults if the trace does not say (a student's program, a damaged file).
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
  BlockedRanks blocked;  ///< The ranks of a deadlock.
  std::vector<Rank> lost;
  std::string lost_what,
      lost_why;  ///< The first one's loss and its reason: "rank 2 was killed by signal 9 (Killed)".

  bool is_lost(Rank rank) const noexcept;
  bool any() const noexcept { return !blocked.groups.empty() || !lost.empty(); }
};

/// Returns none for runs of very many events.
StuckRanks stuck_ranks(const TraceAnalysis& analysis);

/// The message, rank or chunk that is strong while all else is pale; -1: none.
struct SceneChoice {
  std::int64_t message = -1;  ///< Index in Rounds::messages.
  Rank rank = -1;
  int chunk = -1;
  bool any() const noexcept { return message >= 0 || rank >= 0 || chunk >= 0; }
  bool operator==(const SceneChoice&) const = default;
};

/// Throws UserError for ranks that the run lacks (naming those that it has), and for ranks listed twice.
void check_ranks(const std::vector<Rank>& ranks, int world);
/// Returns the first and the last round; `last` 0 stands for the run's last one, `count`. Throws UserError that names
/// the run's range.
std::pair<int, int> chosen_rounds(int first, int last, int count);

}  // namespace rankscope
