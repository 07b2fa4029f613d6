// The effect of a step on the ranks' data: the second half of its sentence.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/narration/step_facts.h"

namespace rankscope::narration {

/// "now every rank holds the sum of 4 vectors"; empty where nothing is worth a word, or it is not known.
std::string effect_of(const StepFacts& facts, Holdings& holdings);

/// The number of blocks (a rank's whole part) that a rank has already of those with which it ends.
int blocks_held(Holdings& holdings, Rank rank, const Owned& wanted, int step);
/// The ranks that have all that they end with.
std::vector<Rank> supplied(Holdings& holdings, int step, int world);
/// Words for Motion::moves: "every rank has the data of its left neighbour"; empty where it is nothing so simple.
std::string moved_words(const Holdings& holdings);
/// The ranks that hold all of the finished reduction.
std::vector<Rank> finished(Holdings& holdings, int step, int world);

}  // namespace rankscope::narration
