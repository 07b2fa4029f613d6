// Counts the messages and the work of some rounds, or the messages of one chunk.
#include "engine/analysis/part_statistics.h"

#include <algorithm>
#include <optional>

namespace rankscope {
namespace {

/// The bytes of a message that belong to the chunk; nothing where it carries none of it.
std::optional<std::uint64_t> bytes_of(const Pieces& pieces, const MessageRecord& message,
                                      int chunk) {
  const Piece piece = pieces.of(message);
  const bool carried = piece.whole || (piece.first_chunk >= 0 && piece.first_chunk <= chunk &&
                                       chunk <= piece.last_chunk);
  if (!carried) return std::nullopt;
  const Range held = piece.whole ? Range{0, pieces.whole()} : piece.elements;
  if (held.offset < 0 || held.count <= 0 || pieces.ranks() < 1) return message.bytes;
  const Range wanted = Partition(pieces.whole(), pieces.ranks())[chunk];
  const Count shared = std::min(held.end(), wanted.end()) - std::max(held.offset, wanted.offset);
  if (shared <= 0) return std::nullopt;
  return message.bytes / static_cast<std::uint64_t>(held.count) *
         static_cast<std::uint64_t>(shared);
}

void add_work(const TraceAnalysis& run, const StatisticsPart& part, Statistics& result) {
  const Trace& trace = run.trace();
  const bool all = part.rounds < 0 || part.rounds > run.rounds().count;
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    const auto at = static_cast<std::size_t>(event.rank);
    if (!all && k >= run.cuts().cut[at][static_cast<std::size_t>(part.rounds)]) continue;
    RankStatistics& rank = result.ranks[at];
    ++result.events;
    ++rank.events;
    result.duration_ns = std::max(result.duration_ns, trace.time_ns(k));
    if (event.kind != EventKind::local) continue;
    const std::int64_t spent = trace.time_ns(k) - begin_ns(trace, k);
    count_work(rank, event, spent);
  }
}

}  // namespace

Statistics part_statistics(const TraceAnalysis& run, const StatisticsPart& part) {
  Statistics result;
  result.rounds = part.rounds < 0 ? run.rounds().count : std::min(part.rounds, run.rounds().count);
  result.ranks.resize(static_cast<std::size_t>(run.trace().world_size()));
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank)
    result.ranks[rank].rank = static_cast<Rank>(rank);
  const Rounds& rounds = run.rounds();
  const auto counted = [&](std::size_t i) -> std::optional<std::uint64_t> {
    if (part.rounds >= 0 && rounds.round[i] > part.rounds) return std::nullopt;
    const MessageRecord& message = rounds.messages[i];
    return part.chunk < 0 ? message.bytes : bytes_of(run.pieces(), message, part.chunk);
  };
  count_messages(run.trace(), rounds, result, counted);
  add_work(run, part, result);
  return result;
}

}  // namespace rankscope
