// Describes a trace's operations as posted verbs.
#include "engine/analysis/findings/run_situation.h"

#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/source_peers.h"

namespace rankscope::finder {

RunSituation::RunSituation(const TraceOperations& facts) : facts_(facts) {
  const auto posted = [this](std::uint32_t verb) -> const Operation& {
    return facts_.operations[verb];
  };
  for (const Operation& one : facts_.operations) {
    const StepEvent& event = facts_.posted(one);
    matching::PostedVerb verb{.rank = one.rank,
                              .peer = one.peer,
                              .tag = one.tag,
                              .context = facts_.context(event),
                              .send = one.send};
    verb.buffered = one.send && one.completed != kNoEvent;
    if (verb.wild() && one.partner != kNone) verb.got = one.partner;
    // A receive that has met its send stays open where the sender ended before the data were gone.
    const bool left_behind = facts_.status == JobResult::Status::deadlock && !one.send &&
                             one.completed == kNoEvent && one.partner != kNone &&
                             posted(one.partner).completed == kNoEvent &&
                             facts_.has_ended(posted(one.partner).rank);
    verb.open = (untouched(one) || left_behind) && !facts_.has_ended(one.rank);
    verb.in_call = one.inside();
    verb.site = one.site;
    run_.verbs.push_back(verb);
  }
  for (Rank rank = 0; rank < facts_.trace.world_size(); ++rank)
    run_.ended.push_back(facts_.has_ended(rank) || facts_.is_idle(rank));
  run_.platform = facts_.platform;
  run_.at = [this, posted](std::uint32_t verb) { return facts_.at(posted(verb).posted); };
  run_.partner_name = [this](std::uint32_t verb) { return text_of(verb).partner; };
  run_.next_partner_name = [this, posted](std::uint32_t verb) {
    return next_partner_text(facts_.trace, posted(verb).site, !posted(verb).send);
  };
  run_.next_peer = [this, posted](std::uint32_t verb) {
    const Operation& one = posted(verb);
    return next_peer(facts_.trace, {one.site, one.send, one.rank, one.peer});
  };
  run_.goes_through_peers = [this](std::uint32_t verb) { return text_of(verb).in_for_loop; };
  run_.comes_to_call = [this, posted](std::uint32_t verb, std::uint32_t in_call) {
    return leads_to(facts_.trace, posted(verb).site, posted(in_call).site);
  };
  run_.later_tags = [this, posted](std::uint32_t verb) {
    return later_tags(facts_.trace, posted(verb).site, posted(verb).send);
  };
}

const RunSituation::LineText& RunSituation::text_of(std::uint32_t verb) {
  const Operation& one = facts_.operations[verb];
  const auto [at, fresh] = texts_.try_emplace({one.site, one.send});
  if (fresh)
    at->second = {partner_text(facts_.trace, one.site, one.send),
                  stands_in_for_loop(facts_.trace, one.site)};
  return at->second;
}

}  // namespace rankscope::finder
