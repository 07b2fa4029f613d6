// Ranks that exchange data with a partner, as in recursive halving: whether each one's partner has it as partner, too.
#pragma once

#include <optional>

#include "engine/analysis/matching/diagnosis.h"

namespace rankscope::matching {

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
