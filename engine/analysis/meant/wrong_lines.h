// The searches for the line that makes a result wrong. Each looks for one kind of mistake.
#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/trace_operations.h"
#include "engine/analysis/meant/verdict.h"

namespace rankscope::meant {

/// A line, and the finding's new words on it; its old ones stay where these are empty.
struct Place {
  std::string site, words, why, advice;
};
using Guess = std::optional<Place>;

/// The program's own sends of a rank that carry data.
std::vector<const finder::Operation*> own_sends(const finder::TraceOperations& facts, Rank rank);

/// A rank has the whole sum of a block, and hands on what it had before.
Guess sends_partial(const finder::TraceOperations& facts, const Verdict& verdict);
/// A whole block of the sum is received in the place of another one.
Guess stores_elsewhere(const finder::TraceOperations& facts, const Verdict& verdict);
/// The sum that the only rank without its own data hands out begins with zeros.
Guess begins_empty(const finder::TraceOperations& facts, const Verdict& verdict);
/// Each rank exchanges its data with itself in the first of several turns.
Guess meets_itself(const finder::TraceOperations& facts, const Verdict& verdict);
/// Another rank than the root begins to send.
Guess starts_elsewhere(const finder::TraceOperations& facts, const Verdict& verdict);

}  // namespace rankscope::meant
