// The line that makes a result wrong.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/analysis/meant/verdict.h"

namespace rankscope::meant {

/// Moves the finding on a wrong result to the line that makes it wrong, where the messages or the text show it.
void name_line(const finder::TraceOperations& facts, const Verdict& verdict, Finding& finding);

/// A line, and the finding's new text about it; an empty site or reason leaves the finding's own.
struct Place {
  std::string site, words, why, advice;
};
using Guess = std::optional<Place>;

/// Returns the sends of data that a rank's program makes itself.
std::vector<const finder::Operation*> own_sends(const finder::TraceOperations& facts, Rank rank);

// ---- Searches by the values of messages, each for one kind of mistake ----

/// A rank has a block's whole sum, and sends what it had before.
Guess sends_partial(const finder::TraceOperations& facts, const Verdict& verdict);
/// A block of the whole sum is stored in another block's place.
Guess stores_elsewhere(const finder::TraceOperations& facts, const Verdict& verdict);
/// One rank's data are missing, because the sum that it sends begins with zeros.
Guess begins_empty(const finder::TraceOperations& facts, const Verdict& verdict);
/// In the first of several turns, each rank exchanges data with itself.
Guess meets_itself(const finder::TraceOperations& facts, const Verdict& verdict);
/// A rank other than the root sends first.
Guess starts_elsewhere(const finder::TraceOperations& facts, const Verdict& verdict);

}  // namespace rankscope::meant
