// Compares sends with receives that they do not fit, and with what the same lines and the partners did on other ranks.
#include "engine/analysis/matching/changes.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace rankscope::matching {

using Cause = Diagnosis::Cause;

namespace {

/// Returns whether two verbs of the same lines met, on the rank of the first one or elsewhere.
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

namespace {

/// The first verb of each of a rank's exchanges.
using Exchanges = std::vector<std::uint32_t>;

/// The exchanges of one name, or of one line, on each rank.
struct Family {
  std::map<Rank, Exchanges> of_rank;
  std::map<Rank, std::uint32_t> half;  ///< The last verb, which waits for its other half.
  bool sends = false, receives = false;
  bool whole = false;  ///< A rank has made both halves.
};

std::string family_of(const Situation& known, std::uint32_t verb) {
  const PostedVerb& one = known.verbs[verb];
  if (one.in_call || one.peer < 0 || one.site == 0) return {};
  const std::string name = known.partner_name ? known.partner_name(verb) : std::string();
  // In a loop over all peers, each peer has its turn at another time.
  if (name.empty() && known.goes_through_peers && known.goes_through_peers(verb)) return {};
  return name.empty() ? fmt::format(":{}", one.site) : name;
}

void take(const Situation& known, std::uint32_t verb, Family& family) {
  const PostedVerb& one = known.verbs[verb];
  (one.send ? family.sends : family.receives) = true;
  const auto half = family.half.find(one.rank);
  if (half != family.half.end()) {
    const PostedVerb& other = known.verbs[half->second];
    family.half.erase(half);
    if (other.send != one.send && other.peer == one.peer) {
      family.whole = true;
      return;
    }
  }
  family.half[one.rank] = verb;
  family.of_rank[one.rank].push_back(verb);
}

/// Returns whether all peers are written as, and are, the same distance away ("rank + 1"): a chain, of which nobody
/// means pairs.
bool is_chain(const Situation& known, const std::string& name, const Family& family) {
  if (name.find_first_of("+-") == std::string::npos || name.find('%') != std::string::npos)
    return false;
  std::optional<Rank> distance;
  for (const auto& [rank, all] : family.of_rank)
    for (const std::uint32_t verb : all) {
      const Rank here = known.verbs[verb].peer - rank;
      if (here != distance.value_or(here)) return false;
      distance = here;
    }
  return true;
}

/// Returns whether ended ranks made as many exchanges as each other, give or take one, so that their numbers can be
/// compared.
bool in_step(const Situation& known, const Family& family) {
  std::size_t least = std::numeric_limits<std::size_t>::max(), most = 0;
  for (const auto& [rank, all] : family.of_rank) {
    if (!known.ended[static_cast<std::size_t>(rank)]) continue;
    least = std::min(least, all.size());
    most = std::max(most, all.size());
  }
  return most == 0 || most - least <= 1;
}

std::optional<OddPair> odd_in(const Situation& known, const Family& family) {
  std::optional<OddPair> found;
  for (const auto& [rank, mine] : family.of_rank)
    for (std::size_t step = 0; step < mine.size(); ++step) {
      const auto theirs = family.of_rank.find(known.verbs[mine[step]].peer);
      if (theirs == family.of_rank.end() || theirs->second.size() <= step) continue;
      if (known.verbs[theirs->second[step]].peer == rank) continue;
      if (!found || step < found->step) found = OddPair{mine[step], theirs->second[step], step};
    }
  return found;
}

}  // namespace

std::optional<OddPair> find_odd_pair(const Situation& known,
                                     const std::vector<std::uint32_t>& roots) {
  std::map<std::string, Family> families;
  for (std::uint32_t verb = 0; verb < known.verbs.size(); ++verb)
    if (const std::string name = family_of(known, verb); !name.empty())
      take(known, verb, families[name]);
  for (const std::uint32_t root : roots) {
    const auto family = families.find(family_of(known, root));
    if (family == families.end()) continue;
    const bool named = !family->first.starts_with(':');
    // A line alone counts only with both halves seen; a name says that the other half is to come.
    if (!family->second.whole && !(named && family->second.sends && family->second.receives))
      continue;
    if (!in_step(known, family->second) || is_chain(known, family->first, family->second)) continue;
    if (const auto odd = odd_in(known, family->second)) return odd;
  }
  return std::nullopt;
}

}  // namespace rankscope::matching
