// Changes under which a send or a receive would fit its partner, and how sure it is that they mend the mistake.
#pragma once

#include "engine/analysis/matching/diagnosis.h"

namespace rankscope::matching {

/// A change of one verb under which it fits another one.
struct Change {
  std::uint32_t verb = kNoVerb;   ///< The verb that is changed.
  std::uint32_t other = kNoVerb;  ///< The one that it would meet.
};

/// Whether the message and the receive differ in this alone.
bool nearly_fits(const PostedVerb& send, const PostedVerb& receive, Diagnosis::Cause but);

void apply(std::vector<PostedVerb>& verbs, const Change& change, Diagnosis::Cause cause);

/// Why a verb waits for a rank that has ended: its peer is wrong, or the peer's half is missing.
enum class Fault : std::uint8_t { unknown, peer, missing };
Fault fault_of(const Situation& situation, const Matching& recorded, const Change& change);

}  // namespace rankscope::matching
