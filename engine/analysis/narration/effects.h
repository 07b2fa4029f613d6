// The effect of a step on the ranks' data: the second half of its sentence.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/narration/step_facts.h"

namespace rankscope::narration {

/// "now every rank holds the sum of 4 vectors"; empty: nothing worth a word, or it is not known.
std::string effect_of(const StepFacts& facts, Holdings& holdings);

/// Blocks (a rank's whole part) of what a rank ends with that it has already.
int blocks_held(Holdings& holdings, Rank rank, const Owned& wanted, int step);
/// The ranks that have all that they end with.
std::vector<Rank> supplied(Holdings& holdings, int step, int world);
/// Words for Motion::moves: "every rank has the data of its left neighbour"; empty where it is nothing so simple.
std::string moved_words(const Holdings& holdings);
/// The ranks whose data is the finished reduction, all of it.
std::vector<Rank> finished(Holdings& holdings, int step, int world);

}  // namespace rankscope::narration
