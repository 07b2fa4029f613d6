// What a diagnosis says, and how each platform's programs would be mended.
#pragma once

#include "engine/analysis/matching/diagnosis.h"

namespace rankscope::matching {

/// A verb with what it would have to be for its partner to fit.
struct Change {
  std::uint32_t verb = kNoVerb;   ///< Which is changed.
  std::uint32_t other = kNoVerb;  ///< The one that it would meet.
};

/// Writes `why` and `advice` for a cause that a change of tags, communicators or peers takes away.
void explain_changes(const Situation& situation, const std::vector<Change>& changes,
                     Diagnosis& out);
void explain_taken(const Situation& situation, std::uint32_t receive, std::uint32_t taker,
                   Diagnosis& out);
void explain_ended(const Situation& situation, const std::vector<bool>& met, Diagnosis& out);
/// `odd`: the verb whose partner has another partner, which is `partner`'s peer.
void explain_partners(const Situation& situation, std::uint32_t odd, std::uint32_t partner,
                      Diagnosis& out);
/// Of a cycle of sends, of receives, of calls, of one rank, and of one that nothing explains.
void explain_cycle(const Situation& situation, Diagnosis& out);

}  // namespace rankscope::matching
