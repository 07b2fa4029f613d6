// Changes under which a send or a receive would fit its partner, and how sure it is that they mend the mistake; and ranks
// that exchange data with a partner, as in recursive halving: whether each one's partner has it as partner, too.
#pragma once

#include <optional>

#include "engine/analysis/matching/diagnosis.h"

namespace rankscope::matching {

/// A change of one verb under which it fits another one.
struct Change {
  std::uint32_t verb = kNoVerb;   ///< The verb that is changed.
  std::uint32_t other = kNoVerb;  ///< The one that it would meet.
};

/// Returns whether the message and the receive differ in this alone.
bool nearly_fits(const PostedVerb& send, const PostedVerb& receive, Diagnosis::Cause but);

void apply(std::vector<PostedVerb>& verbs, const Change& change, Diagnosis::Cause cause);

/// Why a verb waits for a rank that has ended: its peer is wrong, or the peer's half is missing.
enum class Fault : std::uint8_t { unknown, peer, missing };
Fault fault_of(const Situation& situation, const Matching& recorded, const Change& change);

struct OddPair {
  std::uint32_t odd = kNoVerb;      ///< The verb whose partner has another partner.
  std::uint32_t partner = kNoVerb;  ///< The verb of that partner.
  std::size_t step = 0;             ///< In which exchange of both, from 0.
};

/// A send to and a receive from the same rank, one after the other, are an exchange, when the program's text writes
/// both peers alike, or both stand at one line. `roots`: the verbs that are to be explained; at least one of them must
/// be such an exchange, or half of one.
std::optional<OddPair> find_odd_pair(const Situation& situation,
                                     const std::vector<std::uint32_t>& roots);

}  // namespace rankscope::matching
