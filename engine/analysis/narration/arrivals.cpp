// Follows from step to step which ranks have heard of which.
#include "engine/analysis/narration/arrivals.h"

#include <algorithm>

#include "engine/core/base/ranges.h"

namespace rankscope::narration {
namespace {

using Known = std::vector<std::vector<bool>>;  // by rank, of which ranks

Arrivals::Count count_of(const Known& known) {
  Arrivals::Count count{static_cast<int>(known.size()), 0};
  for (const auto& of : known) {
    const auto ranks = static_cast<int>(ranges::count(of, true));
    count.least = std::min(count.least, ranks);
    count.most = std::max(count.most, ranks);
  }
  return count;
}

}  // namespace

// A message carries only what its sender knew when it left.
Arrivals::Arrivals(const TraceAnalysis& analysis, const StepReader& reader) {
  const int world = analysis.trace().world_size();
  const auto ranks = static_cast<std::size_t>(std::max(world, 0));
  if (world < 2 || world > kMostRanks) return;
  const Rounds& rounds = analysis.rounds();
  Known known(ranks, std::vector<bool>(ranks, false));
  for (std::size_t rank = 0; rank < ranks; ++rank) known[rank][rank] = true;
  std::vector<std::uint32_t> last(ranks, MessageOrder::kNoMessage);
  std::vector<Count> counts{count_of(known)};
  for (int step = 1; step <= reader.steps(); ++step) {
    const Known before = known;
    const auto last_before = last;
    for (const std::uint32_t m : reader.messages(step)) {
      const MessageRecord& message = rounds.messages[m];
      const auto from = static_cast<std::size_t>(message.from),
                 to = static_cast<std::size_t>(message.to);
      if (message.received == kNoEvent) continue;
      if (rounds.order[m].known_before != last_before[from]) return;
      last[to] = m;
      for (std::size_t rank = 0; rank < ranks; ++rank)
        if (before[from][rank]) known[to][rank] = true;
    }
    counts.push_back(count_of(known));
  }
  after_ = std::move(counts);
}

Arrivals::Count Arrivals::after(int step) const {
  const auto at = static_cast<std::size_t>(step);
  return at < after_.size() ? after_[at] : Count{};
}

}  // namespace rankscope::narration
