// The words of a diagnosis, and how each platform's programs would be mended.
#pragma once

#include "engine/analysis/matching/changes.h"
#include "engine/analysis/matching/diagnosis.h"

namespace rankscope::matching {

/// Writes `why` and `advice` for a cause that a change of tags, communicators or peers takes away.
void explain_changes(const Situation& situation, const std::vector<Change>& changes,
                     Diagnosis& out);
/// The send names the receive's tag as its destination, and the receiving rank as its tag.
void explain_swapped(const Situation& situation, const Change& change, Diagnosis& out);
void explain_taken(const Situation& situation, std::uint32_t receive, std::uint32_t taker,
                   Diagnosis& out);
/// The ranks of these receives exchange with ranks that do not exchange with them.
void explain_one_sided(const Situation& known, const std::vector<std::uint32_t>& receives,
                       Diagnosis& out);
void explain_partners(const Situation& situation, const OddPair& pair, Diagnosis& out);
/// The partner of a send or a receive stands in a collective, for which its rank has still to come.
void explain_missing(const Situation& situation, std::uint32_t verb, std::uint32_t in_call,
                     Diagnosis& out);
void explain_no_wait(const Situation& situation, Diagnosis& out);
/// "(rank - 1) % size" when the peers of all are that; else nothing.
std::string shift_of(const Situation& situation, const std::vector<Change>& changes);
/// Explains a cycle of sends, of receives, of calls or of one rank, and one of unknown cause.
void explain_cycle(const Situation& situation, Diagnosis& out);

}  // namespace rankscope::matching
