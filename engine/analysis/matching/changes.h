// What a send or a receive would have to be for its partner to fit, and how sure it is that this is the mistake.
#pragma once

#include "engine/analysis/matching/diagnosis.h"

namespace rankscope::matching {

/// A verb with what it would have to be for its partner to fit.
struct Change {
  std::uint32_t verb = kNoVerb;   ///< Which is changed.
  std::uint32_t other = kNoVerb;  ///< The one that it would meet.
};

/// The message and the receive would fit, were it not for this alone.
bool nearly_fits(const PostedVerb& send, const PostedVerb& receive, Diagnosis::Cause but);

void apply(std::vector<PostedVerb>& verbs, const Change& change, Diagnosis::Cause cause);

/// Of a verb whose peer has ended: is the peer wrong, or is the peer's half missing?
enum class Fault : std::uint8_t { unknown, peer, missing };
Fault fault_of(const Situation& situation, const Matching& recorded, const Change& change);

}  // namespace rankscope::matching
