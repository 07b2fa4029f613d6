// Follows the messages of each round from rank to rank, and places what it finds.
#include "engine/diagrams/stage/stage_partners.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/stage/stage.h"

namespace rankscope {
namespace {

/// Follows the messages of a round from rank to rank: cycles, chains, pairs. Nothing if a rank sends or receives twice.
StageChains chains_of(int n, const std::set<std::pair<Rank, Rank>>& sent) {
  std::vector<Rank> next(static_cast<std::size_t>(n), -1), before = next;
  for (const auto& [from, to] : sent) {
    Rank &after = next[static_cast<std::size_t>(from)],
         &first = before[static_cast<std::size_t>(to)];
    if (after >= 0 || first >= 0) return {};
    after = to, first = from;
  }
  StageChains chains;
  std::vector<char> seen(next.size(), 0);
  for (Rank rank = 0; rank < n; ++rank) {
    if (seen[static_cast<std::size_t>(rank)] != 0) continue;
    Rank at = rank;  // of a cycle its lowest rank, of a chain its head
    for (Rank up = before[static_cast<std::size_t>(at)]; up >= 0 && up != rank;
         up = before[static_cast<std::size_t>(at)])
      at = up;
    if (before[static_cast<std::size_t>(at)] == rank) at = rank;
    std::vector<Rank> chain;
    for (; at >= 0 && seen[static_cast<std::size_t>(at)] == 0;
         at = next[static_cast<std::size_t>(at)]) {
      chain.push_back(at);
      seen[static_cast<std::size_t>(at)] = 1;
    }
    if (chain.size() == 2) ranges::sort(chain);
    chains.push_back(std::move(chain));
  }
  return chains;
}

/// Columns of two ranks, from left to right.
std::size_t columns_of(const std::vector<Rank>& chain) { return (chain.size() + 1) / 2; }

/// Ranks without messages stand in pairs, too.
StageChains with_idle_pairs(const StageChains& chains) {
  StageChains all;
  std::size_t waiting = 0;
  for (const auto& chain : chains) {
    if (chain.size() == 1 && waiting > 0) {
      all[waiting - 1].push_back(chain[0]);
      waiting = 0;
      continue;
    }
    all.push_back(chain);
    if (chain.size() == 1) waiting = all.size();
  }
  return all;
}

std::vector<StageChains> in_bands(const StageChains& chains, std::size_t count) {
  std::size_t all = 0, used = 0;
  for (const auto& chain : chains) all += columns_of(chain);
  std::vector<StageChains> bands(1);
  for (const auto& chain : chains) {
    if (used > 0 && used + columns_of(chain) > (all + count - 1) / count)
      bands.emplace_back(), used = 0;
    bands.back().push_back(chain);
    used += columns_of(chain);
  }
  return bands;
}

}  // namespace

std::vector<StageChains> stage_partners(const TraceAnalysis& analysis) {
  const Rounds& rounds = analysis.rounds();
  const int n = analysis.trace().world_size();
  if (n <= StageForms::still || n > StageForms::partners) return {};
  std::vector<std::set<std::pair<Rank, Rank>>> sent(static_cast<std::size_t>(rounds.count) + 1);
  std::set<int> distances;
  for (std::size_t i = 0; i < rounds.messages.size(); ++i) {
    const MessageRecord& message = rounds.messages[i];
    if (message.sync || message.from == message.to || rounds.round[i] < 1) continue;
    sent[static_cast<std::size_t>(rounds.round[i])].emplace(message.from, message.to);
    const int away = wrap(message.to - message.from, n);
    distances.insert(std::min(away, n - away));
  }
  if (distances.size() < 2) return {};
  std::vector<StageChains> partners(1);
  for (std::size_t round = 1; round < sent.size(); ++round) {
    partners.push_back(chains_of(n, sent[round]));
    if (partners.back().empty()) return {};
  }
  return partners;
}

std::vector<Point> partner_places(const StageChains& chains, int world, int bands, const Box& area,
                                  const Box& card) {
  constexpr double kBetween = 24;
  const auto rows = in_bands(with_idle_pairs(chains), static_cast<std::size_t>(bands));
  if (std::ssize(rows) > bands) return {};
  const double height = (area.height - (bands - 1) * kBetween) / bands;
  std::vector<Point> at(static_cast<std::size_t>(world));
  double upper = area.y + card.height / 2;
  for (const StageChains& row : rows) {
    std::size_t columns = 0;
    for (const auto& chain : row) columns += columns_of(chain);
    const double pitch = area.width / static_cast<double>(columns);
    double left = area.x;
    for (const auto& chain : row) {
      const std::size_t above = columns_of(chain), below = chain.size() - above;
      for (std::size_t i = 0; i < chain.size(); ++i) {
        const bool top = i < above;
        const double inset = top ? 0 : pitch * static_cast<double>(above - below) / 2;
        const auto column = static_cast<double>(top ? i : chain.size() - 1 - i);
        at[static_cast<std::size_t>(chain[i])] = {left + inset + (column + 0.5) * pitch,
                                                  top ? upper : upper + height - card.height};
      }
      left += pitch * static_cast<double>(above);
    }
    upper += height + kBetween;
  }
  return at;
}

}  // namespace rankscope
