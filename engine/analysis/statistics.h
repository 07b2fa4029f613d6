// The figures of a run: messages and bytes of each rank, and where the time went.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/analysis/events/rounds.h"
#include "engine/core/trace/streamed_trace.h"

namespace rankscope {

class TraceAnalysis;

struct Traffic {
  std::uint64_t messages = 0, bytes = 0;
  Traffic& operator+=(const Traffic& other) noexcept {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
  bool operator==(const Traffic&) const = default;
};

/// One rank's figures, with times in nanoseconds. Internal messages (split, start) do not count.
struct RankStatistics {
  Rank rank = -1;
  std::uint64_t events = 0;
  Traffic sent, received;
  std::uint64_t steps = 0;  ///< Rounds in which the rank sends or receives.
  std::uint64_t waits = 0;  ///< Number of times that the rank was blocked.
  std::int64_t blocked_ns = 0, reduce_ns = 0, copy_ns = 0, compute_ns = 0, delay_ns = 0;
  std::uint64_t reduced_bytes = 0, copied_bytes = 0;
  std::int64_t first_ns = 0,
               last_ns = 0;  ///< Times of its first and last event, as Trace::time_ns().
};

struct PhaseStatistics {
  std::string name;  ///< With the enclosing phases: "step 2 / reduce-scatter".
  Traffic sent;
  std::int64_t blocked_ns = 0, work_ns = 0;  ///< Over all ranks.
  std::int64_t first_ns = 0, last_ns = 0;
};

struct Statistics {
  std::uint64_t events = 0;
  std::int64_t duration_ns = 0;
  int rounds = 0;
  Traffic total;
  std::uint64_t unreceived = 0;                     ///< Messages that no receive completed.
  std::vector<RankStatistics> ranks;                ///< For each rank of the world.
  std::vector<PhaseStatistics> phases;              ///< In the order of their beginning.
  std::map<std::pair<Rank, Rank>, Traffic> matrix;  ///< (from, to), for pairs with messages.
  Rank busiest = -1;  ///< By bytes sent and received, then messages, then the lower rank.
};

Statistics statistics(const Trace& trace, const Rounds& rounds);

// Sums shared by the statistics of a trace, of a part of one and of a streamed run.
/// Adds messages and each rank's steps. `counted` returns the bytes that count of rounds.messages[i]; nothing if the message
/// does not count.
void count_messages(const Trace& trace, const Rounds& rounds, Statistics& statistics,
                    const std::function<std::optional<std::uint64_t>(std::size_t)>& counted);
/// Adds a local event's time and bytes.
void count_work(RankStatistics& rank, const StepEvent& event, std::int64_t spent_ns);
/// Numbers the ranks, and finds the busiest of them.
void find_busiest(Statistics& statistics);

/// "step 2 / reduce-scatter"; empty for 0 or an unknown phase.
std::string phase_path(const Trace& trace, std::uint32_t phase);

/// The part of a run that counts.
struct StatisticsPart {
  int rounds = -1;  ///< The first rounds, and each rank's work up to their end; -1 for all.
  int chunk = -1;   ///< Messages that carry this chunk, with its bytes only; -1 for all messages.
};

/// Returns only each rank's steps, messages, bytes, and times blocked and reducing (for all chunks), and the totals, as
/// statistics() counts them. Not for large runs, whose rounds are not kept.
Statistics part_statistics(const TraceAnalysis& run, const StatisticsPart& part);

struct StreamedStatistics {
  Statistics statistics;  ///< Rounds and steps are 0: they need all messages at once.
  Trace names;            ///< The run without its events: its facts, definitions and damage.
};

/// Needs memory by ranks and phases, not by events. Throws UserError if `progress` stops it.
StreamedStatistics streamed_statistics(const StreamedTrace& run,
                                       const StreamedTrace::Progress& progress = {});

}  // namespace rankscope
