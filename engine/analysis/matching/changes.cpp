// Compares sends with receives that they do not fit, and with what the same lines did on other ranks.
#include "engine/analysis/matching/changes.h"

namespace rankscope::matching {

using Cause = Diagnosis::Cause;

namespace {

/// Whether two verbs of the same lines met, on the rank of the first one or elsewhere.
bool have_met(const Situation& known, const Matching& recorded, std::uint32_t verb,
              std::uint32_t other, bool elsewhere) {
  const PostedVerb &mine = known.verbs[verb], &theirs = known.verbs[other];
  if (mine.site == 0 || theirs.site == 0) return false;
  for (std::uint32_t i = 0; i < known.verbs.size(); ++i) {
    const PostedVerb& one = known.verbs[i];
    const std::uint32_t partner = recorded.partner(i);
    if (one.send == mine.send && one.site == mine.site && partner != kNoVerb &&
        known.verbs[partner].site == theirs.site && (one.rank != mine.rank) == elsewhere)
      return true;
  }
  return false;
}

}  // namespace

bool nearly_fits(const PostedVerb& send, const PostedVerb& receive, Cause but) {
  PostedVerb other = receive;
  switch (but) {
    case Cause::tag: other.tag = send.tag; break;
    case Cause::communicator: other.context = send.context; break;
    case Cause::source: other.peer = send.rank; break;
    case Cause::destination: {
      PostedVerb redirected = send;
      redirected.peer = receive.rank;
      return send.peer != receive.rank && fits(redirected, receive);
    }
    default: return false;
  }
  return !fits(send, receive) && fits(send, other);
}

void apply(std::vector<PostedVerb>& verbs, const Change& change, Cause cause) {
  PostedVerb& changed = verbs[change.verb];
  const PostedVerb other = verbs[change.other];
  if (cause == Cause::tag) changed.tag = other.tag;
  else if (cause == Cause::communicator) changed.context = other.context;
  else changed.peer = other.rank;  // a receive's source, a send's destination
}

Fault fault_of(const Situation& known, const Matching& recorded, const Change& change) {
  if (have_met(known, recorded, change.verb, change.other, true)) return Fault::peer;
  const PostedVerb &changed = known.verbs[change.verb], &other = known.verbs[change.other];
  bool took_part = false, did_its_part = false;
  for (const PostedVerb& one : known.verbs) {
    if (one.rank != changed.peer || one.in_call) continue;
    took_part = true;
    did_its_part |= one.send == other.send && one.site == other.site && one.site != 0;
  }
  if (did_its_part && have_met(known, recorded, change.verb, change.other, false))
    return Fault::peer;
  const bool for_many = known.goes_through_peers && known.goes_through_peers(change.verb);
  return !took_part && for_many ? Fault::missing : Fault::unknown;
}

}  // namespace rankscope::matching
