// Follows the latest arrival back through the messages that delayed it.
#include "engine/diagrams/spacetime/critical_path.h"

#include <unordered_map>
#include <utility>

#include "engine/core/base/ranges.h"

namespace rankscope {

std::vector<std::size_t> critical_path(const std::vector<MessageRecord>& messages) {
  // By receiver, in order of arrival, so that each link of the chain is a search and not a walk
  // through all messages.
  using Arrival = std::pair<std::uint64_t, std::size_t>;
  std::unordered_map<Rank, std::vector<Arrival>> arrivals;
  Arrival last{0, messages.size()};
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto& m = messages[i];
    if (m.sync || m.received == kNoEvent) continue;
    arrivals[m.to].emplace_back(m.received, i);
    if (last.second == messages.size() || m.received > last.first) last = {m.received, i};
  }
  for (auto& [rank, list] : arrivals) ranges::sort(list);
  std::vector<std::size_t> path;
  for (std::size_t at = last.second; at < messages.size();) {
    path.push_back(at);
    const auto& m = messages[at];
    const auto& list = arrivals[m.from];
    const auto behind = ranges::lower_bound(list, Arrival{m.sent, 0});
    if (behind == list.begin()) break;
    at = std::prev(behind)->second;
  }
  return path;
}

}  // namespace rankscope
