// Changes under which a send or a receive would fit its partner, and whether they mend the mistake; and exchanges in pairs,
// as in recursive halving, in which a rank's partner has another partner.
#pragma once

#include <optional>

#include "engine/analysis/matching/diagnosis.h"

namespace rankscope::matching {

/// A change of one verb that makes it fit another one.
struct Change {
  std::uint32_t verb = kNoVerb;   ///< The verb that is changed.
  std::uint32_t other = kNoVerb;  ///< The one that it would meet.
};

/// Returns whether the message and the receive fit except for the tag, peer or communicator that `but` names.
bool nearly_fits(const PostedVerb& send, const PostedVerb& receive, Diagnosis::Cause but);

void apply(std::vector<PostedVerb>& verbs, const Change& change, Diagnosis::Cause cause);

/// The reason for which a verb waits for a rank that has ended: its peer is wrong, or the peer's half is missing.
enum class Fault : std::uint8_t { unknown, peer, missing };
Fault fault_of(const Situation& situation, const Matching& recorded, const Change& change);

struct OddPair {
  std::uint32_t odd = kNoVerb;      ///< The verb whose partner has another partner.
  std::uint32_t partner = kNoVerb;  ///< The verb of that partner.
  std::size_t step = 0;             ///< The index of both ranks' exchange, from 0.
};

/// Finds the exchange whose partner exchanges with another rank. A send to and a receive from the same rank, one after the
/// other, are an exchange if the program's text writes both peers alike, or if both are at one line. At least one of
/// `roots`, the verbs to be explained, must be part of an exchange.
std::optional<OddPair> find_odd_pair(const Situation& situation,
                                     const std::vector<std::uint32_t>& roots);

}  // namespace rankscope::matching
