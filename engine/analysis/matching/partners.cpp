// Gathers each rank's exchanges, in its order, and compares those of two ranks that should be the same one.
#include "engine/analysis/matching/partners.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace rankscope::matching {
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

/// Whether all peers are written as, and are, the same distance away ("rank + 1"): a chain, of which nobody means pairs.
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

/// Whether ended ranks made as many exchanges as each other, give or take one, so that their numbers can be compared.
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
