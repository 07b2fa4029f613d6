// Pairs the sends and receives of a run by their order alone.
#include "engine/analysis/matching/machine.h"

#include <map>

#include "engine/core/base/ranges.h"

namespace rankscope::matching {

bool fits(const PostedVerb& send, const PostedVerb& receive) noexcept {
  return send.send && !receive.send && send.context == receive.context &&
         send.peer == receive.rank && (receive.peer == kAnyRank || receive.peer == send.rank) &&
         (receive.tag == kAnyTag || receive.tag == send.tag);
}

Matching::Matching(const std::vector<PostedVerb>& verbs)
    : verbs_(verbs), partner_(verbs.size(), kNoVerb) {
  std::map<std::pair<Rank, ContextId>, Queue> queues;  // by receiver
  for (std::uint32_t verb = 0; verb < verbs_.size(); ++verb) {
    const PostedVerb& one = verbs_[verb];
    post(verb, queues[{one.send ? one.peer : one.rank, one.context}]);
  }
}

bool Matching::may_meet(std::uint32_t send, std::uint32_t receive) const {
  if (!fits(verbs_[send], verbs_[receive])) return false;
  const std::uint32_t got = verbs_[receive].got;
  return got == kNoVerb || got == send;
}

void Matching::post(std::uint32_t verb, Queue& queue) {
  const bool send = verbs_[verb].send;
  auto& waiting = send ? queue.receives : queue.messages;
  const auto other = ranges::find_if(
      waiting, [&](std::uint32_t one) { return send ? may_meet(verb, one) : may_meet(one, verb); });
  if (other == waiting.end()) {
    (send ? queue.messages : queue.receives).push_back(verb);
    return;
  }
  partner_[verb] = *other;
  partner_[*other] = verb;
  waiting.erase(other);
}

bool ends_in_step(std::vector<std::deque<PostedVerb>> by_rank) {
  const auto meet = [](std::deque<PostedVerb>& one, std::deque<PostedVerb>& other) {
    if (one.empty() || other.empty() || !fits(one.front(), other.front())) return false;
    one.pop_front();
    other.pop_front();
    return true;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& one : by_rank)
      for (auto& other : by_rank) moved = meet(one, other) || moved;
  }
  return ranges::all_of(by_rank, [](const auto& verbs) { return verbs.empty(); });
}

}  // namespace rankscope::matching
