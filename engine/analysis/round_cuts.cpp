// Finds the event on each rank at which a round ends, and the buffers' state there.
#include "engine/analysis/round_cuts.h"

#include <algorithm>
#include <unordered_map>

namespace rankscope {
namespace {

/// By rank, the cursor after which events follow the rank's last message.
std::vector<std::uint64_t> last_messages(const Trace& trace) {
  std::vector<std::uint64_t> last(static_cast<std::size_t>(trace.world_size()), 0);
  for (std::uint64_t k = 0; k < trace.size(); ++k)
    if (trace[k].kind == EventKind::completed && trace[k].rank >= 0 &&
        trace[k].rank < trace.world_size())
      last[static_cast<std::size_t>(trace[k].rank)] = k;
  return last;
}

}  // namespace

RoundCuts round_cuts(const Trace& trace, const Rounds& rounds) {
  RoundCuts cuts;
  const auto ranks = static_cast<std::size_t>(trace.world_size());
  std::unordered_map<OpId, int> round_of_recv;
  for (std::size_t i = 0; i < rounds.messages.size(); ++i)
    if (rounds.messages[i].recv != 0) round_of_recv[rounds.messages[i].recv] = rounds.round[i];
  cuts.cut.assign(ranks, std::vector<Cursor>(static_cast<std::size_t>(rounds.count) + 2, 0));
  std::vector<int> stage(ranks, 0);
  const std::vector<std::uint64_t> last_message = last_messages(trace);
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const auto& event = trace[k];
    if (event.rank < 0 || event.rank >= trace.world_size()) continue;
    const auto rank = static_cast<std::size_t>(event.rank);
    int& at = stage[rank];
    if (event.kind == EventKind::completed && is_recv(event.verb)) {
      const auto found = round_of_recv.find(event.op);
      if (found != round_of_recv.end()) at = std::max(at, found->second);
    }
    // A division between two phases belongs to the round before it.
    if (event.verb == Verb::scale && k > last_message[rank]) {
      at = rounds.count + 1;
      cuts.ends_differ = true;
    }
    cuts.cut[rank][static_cast<std::size_t>(at)] = k + 1;
  }
  for (auto& ends : cuts.cut)
    for (std::size_t i = 1; i < ends.size(); ++i) ends[i] = std::max(ends[i], ends[i - 1]);
  return cuts;
}

}  // namespace rankscope
