// The words of a diagnosis, and its advice in the words of each platform.
#pragma once

#include "engine/analysis/matching/changes.h"
#include "engine/analysis/matching/diagnosis.h"

namespace rankscope::matching {

/// Writes `why` and `advice` for a cause that a change of tags, communicators or peers removes.
void explain_changes(const Situation& situation, const std::vector<Change>& changes,
                     Diagnosis& out);
/// Explains a send that names the receive's tag as its destination, and the receiving rank as its tag.
void explain_swapped(const Situation& situation, const Change& change, Diagnosis& out);
void explain_taken(const Situation& situation, std::uint32_t receive, std::uint32_t taker,
                   Diagnosis& out);
/// Explains receives whose ranks exchange with ranks that do not exchange with them.
void explain_one_sided(const Situation& known, const std::vector<std::uint32_t>& receives,
                       Diagnosis& out);
void explain_partners(const Situation& situation, const OddPair& pair, Diagnosis& out);
/// Explains a verb whose partner's rank is in a collective that the verb's rank reaches only later.
void explain_missing(const Situation& situation, std::uint32_t verb, std::uint32_t in_call,
                     Diagnosis& out);
void explain_no_wait(const Situation& situation, Diagnosis& out);
/// Returns "(rank - 1) % size" if that is the peer of all; else nothing.
std::string shift_of(const Situation& situation, const std::vector<Change>& changes);
/// Explains a cycle of sends, of receives, of calls or of one rank, and one of unknown cause.
void explain_cycle(const Situation& situation, Diagnosis& out);

}  // namespace rankscope::matching
