// Fits the rules of automatic algorithm choice to measurements, and applies them.
#include "engine/model/auto_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

/// The cost of a change of algorithm: it has to save 15 % in all, summed over the sizes.
constexpr double kPriceOfChange = 0.14;
/// The time of an algorithm at a size where only others were measured, as a multiple of the best's.
constexpr double kUnmeasured = 3.0;

using Key = std::tuple<std::string, std::string, int>;  // collective, transport, np
using Sizes = std::map<std::uint64_t, std::map<std::string, double>>;

std::map<Key, Sizes> grouped(const std::vector<ChoiceSample>& samples) {
  std::map<Key, Sizes> groups;
  for (const auto& s : samples)
    if (s.seconds > 0)
      groups[{s.collective, s.transport, s.np}][s.bytes].emplace(s.algorithm, s.seconds);
  return groups;
}

double best_of(const std::map<std::string, double>& times) {
  double best = std::numeric_limits<double>::max();
  for (const auto& [name, time] : times) best = std::min(best, time);
  return best;
}

// Returns the algorithm for each size, on the cheapest path through sizes x algorithms (Viterbi).
std::vector<std::string> cheapest_path(const Sizes& sizes) {
  std::map<std::string, double> cost;  // of the cheapest path that ends with this algorithm
  for (const auto& [bytes, times] : sizes)
    for (const auto& [name, time] : times) cost.emplace(name, 0.0);
  std::vector<std::map<std::string, std::string>> came_from;
  for (const auto& [bytes, times] : sizes) {
    const auto cheapest =
        *ranges::min_element(cost, {}, [](const auto& entry) { return entry.second; });
    const double best = best_of(times);
    auto& from = came_from.emplace_back();
    for (auto& [name, sum] : cost) {
      const bool change = came_from.size() > 1 && cheapest.second + kPriceOfChange < sum;
      from[name] = change ? cheapest.first : name;
      const auto time = times.find(name);
      sum = (change ? cheapest.second + kPriceOfChange : sum) +
            (time == times.end() ? std::log(kUnmeasured) : std::log(time->second / best));
    }
  }
  std::string at =
      ranges::min_element(cost, {}, [](const auto& entry) { return entry.second; })->first;
  std::vector<std::string> path(came_from.size());
  for (std::size_t i = came_from.size(); i-- > 0; at = came_from[i][at]) path[i] = at;
  return path;
}

}  // namespace

ChoiceTable ChoiceTable::fit(const std::vector<ChoiceSample>& samples) {
  std::vector<ChoiceRule> rules;
  for (const auto& [key, sizes] : grouped(samples)) {
    const auto& [collective, transport, np] = key;
    const auto path = cheapest_path(sizes);
    std::vector<std::uint64_t> bytes;
    for (const auto& [size, times] : sizes) bytes.push_back(size);
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (i + 1 < path.size() && path[i + 1] == path[i]) continue;
      ChoiceRule rule{collective, transport, np, ChoiceRule::kNoLimit, path[i]};
      if (i + 1 < path.size())  // half-way, as a ratio
        rule.up_to = static_cast<std::uint64_t>(
            std::sqrt(static_cast<double>(bytes[i]) * static_cast<double>(bytes[i + 1])));
      rules.push_back(std::move(rule));
    }
  }
  return ChoiceTable(std::move(rules));
}

std::string_view ChoiceTable::choose(std::string_view collective, std::string_view transport,
                                     int np, std::uint64_t bytes) const noexcept {
  const auto known = [&](std::string_view name) {
    return ranges::any_of(rules_, [&](const ChoiceRule& rule) {
      return rule.collective == collective && rule.transport == name;
    });
  };
  const std::string_view carrier = known(transport) ? transport : "ipc";
  const ChoiceRule* chosen = nullptr;
  double nearest = std::numeric_limits<double>::max();
  for (const ChoiceRule& rule : rules_) {
    if (rule.collective != collective || rule.transport != carrier || bytes > rule.up_to) continue;
    const double distance = std::abs(std::log(static_cast<double>(rule.np) / std::max(np, 1)));
    if (distance >= nearest) continue;  // the first rule of an np has the lowest limit that fits
    nearest = distance;
    chosen = &rule;
  }
  return chosen == nullptr ? std::string_view() : std::string_view(chosen->algorithm);
}

void ChoiceTable::merge(const ChoiceTable& other) {
  const auto same = [](const ChoiceRule& a, const ChoiceRule& b) {
    return std::tie(a.collective, a.transport, a.np) == std::tie(b.collective, b.transport, b.np);
  };
  std::erase_if(rules_, [&](const ChoiceRule& mine) {
    return ranges::any_of(other.rules_,
                          [&](const ChoiceRule& theirs) { return same(mine, theirs); });
  });
  rules_.insert(rules_.end(), other.rules_.begin(), other.rules_.end());
}

ChoiceQuality judge_choice(const ChoiceTable& table, const std::vector<ChoiceSample>& samples) {
  constexpr double kGoodEnough = 1.1;
  ChoiceQuality quality;
  for (const auto& [key, sizes] : grouped(samples)) {
    const auto& [collective, transport, np] = key;
    for (const auto& [bytes, times] : sizes) {
      const std::string name(table.choose(collective, transport, np, bytes));
      const auto chosen = times.find(name);
      const auto best = ranges::min_element(times, {}, [](const auto& one) { return one.second; });
      const double ratio = chosen == times.end() ? kUnmeasured : chosen->second / best->second;
      ++quality.points;
      quality.worst = std::max(quality.worst, ratio);
      if (ratio <= kGoodEnough) ++quality.within;
      else quality.misses.push_back({collective, transport, np, bytes, name, best->first, ratio});
    }
  }
  return quality;
}

namespace {

/// The rules of one (collective, transport, np): algorithms up to a number of bytes, and `last` beyond.
struct RulesBySize {
  const char *collective, *transport;
  int np;
  const char* last;
  std::vector<std::pair<std::uint64_t, const char*>> up_to;
};

}  // namespace

const ChoiceTable& ChoiceTable::built_in() {
  constexpr std::uint64_t K = 1024, M = 1024 * K;
  static const RulesBySize kMeasured[] = {
      {"allreduce", "ipc", 2, "ring_pipelined", {{11 * K, "flat"}, {724 * K, "bde"}}},
      {"allreduce", "ipc", 4, "ring_pipelined", {{91 * K, "bde"}, {724 * K, "tree"}}},
      {"allreduce", "ipc", 8, "ring_pipelined", {{11 * K, "flat"}, {6 * M, "mst"}}},
      {"allreduce", "tcp", 2, "ring_pipelined", {{11 * K, "flat"}, {724 * K, "bde"}}},
      {"allreduce", "tcp", 4, "ring_pipelined", {{91 * K, "bde"}, {724 * K, "tree"}}},
      {"allreduce", "tcp", 8, "ring_pipelined", {{11 * K, "flat"}, {6 * M, "mst"}}},
      {"broadcast", "ipc", 2, "flat", {}},
      {"broadcast", "ipc", 4, "binomial", {{45 * K, "flat"}}},
      {"broadcast", "ipc", 8, "binomial", {{45 * K, "flat"}}},
      {"allgather", "ipc", 2, "doubling", {}},
      {"allgather", "ipc", 4, "ring", {{1 * M, "doubling"}}},
      {"allgather", "ipc", 8, "ring", {{1448, "flat"}, {1 * M, "doubling"}}},
      {"reduce_scatter", "ipc", 2, "direct", {{1 * M, "halving"}}},
      {"reduce_scatter", "ipc", 4, "direct", {{1 * M, "halving"}}},
      {"reduce_scatter", "ipc", 8, "direct", {{1 * M, "halving"}}},
      {"alltoall", "ipc", 2, "linear", {}},
      {"alltoall", "ipc", 4, "linear", {}},
      {"alltoall", "ipc", 8, "pairwise", {{1 * M, "linear"}}},

      // In shared memory receivers read in place: many messages at once cost little, and each byte that moves is one
      // copy. A virtual machine may find its two processors beside one cache, or each beside its own, and this changes
      // within seconds. Where each has its own, two_shot takes 1.6 times as long as swing at 1 MiB on 8 ranks (each
      // rank reads all others' parts); beside one cache the two are equal, so swing has the middle sizes. Not on 3 and
      // 6 ranks, where it takes up to 1.7 times as long, as some of them carry others' data; on 5, 7 and 9 to 12 it is
      // as fast.
      {"allreduce", "shm", 2, "two_shot", {{11 * K, "bde"}}},
      {"allreduce", "shm", 3, "two_shot", {{2 * K, "flat"}, {32 * K, "bde"}}},
      {"allreduce", "shm", 4, "two_shot", {{2 * K, "flat"}, {32 * K, "bde"}, {1448 * K, "swing"}}},
      {"allreduce", "shm", 6, "two_shot", {{2 * K, "flat"}, {11 * K, "bde"}, {362 * K, "mst"}}},
      {"allreduce",
       "shm",
       8,
       "two_shot",
       {{2 * K, "flat"}, {11 * K, "bde"}, {362 * K, "mst"}, {11 * M, "swing"}}},
      {"broadcast", "shm", 2, "flat", {}},
      {"broadcast", "shm", 4, "knomial", {}},
      {"broadcast", "shm", 8, "knomial", {}},
      {"allgather", "shm", 2, "doubling", {}},
      {"allgather", "shm", 8, "ring", {{6 * M, "doubling"}}},
      {"reduce_scatter", "shm", 8, "direct", {}},
      {"alltoall", "shm", 8, "linear", {}},
  };
  static const ChoiceTable kTable = [] {
    std::vector<ChoiceRule> rules;
    for (const auto& [collective, transport, np, last, up_to] : kMeasured) {
      const auto add = [&](std::uint64_t bytes, const char* name) {
        rules.push_back({collective, transport, np, bytes, std::string(collective) + '.' + name});
      };
      for (const auto& [bytes, name] : up_to) add(bytes, name);
      add(ChoiceRule::kNoLimit, last);
    }
    return ChoiceTable(std::move(rules));
  }();
  return kTable;
}

}  // namespace rankscope
