// Messages as an answer names them, and where they part from those of a run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/base/types.h"

namespace rankscope {

struct AnswerForm;
class TraceAnalysis;

/// A message of an answer, or of a run.
struct PredictedMessage {
  int row = -1;  ///< Of an answer that has rows; -1: it is the only message, or a run's.
  int step = 0;  ///< From 1; of a run its round.
  Rank from = -1, to = -1;
  std::string chunk = {};  ///< As it is typed: "2", "2-3", "elements 4-5", "all"; empty: not known.
  std::string receiver = {};  ///< "add" or "keep", where the answer says it.
  int first = -1, last = -1;  ///< Chunks; -1: not known, or no whole ones.
  bool whole = false;         ///< All of the data.
};

/// The messages of an answer of such a form, as far as they name two ranks; of other forms none. One message
/// belongs to the step behind AnswerForm::picture's `after`.
std::vector<PredictedMessage> predicted_messages(const AnswerForm& form,
                                                 const nlohmann::json& answer);
/// Those of a run that carry something, in the order of their rounds.
std::vector<PredictedMessage> messages_of_run(const TraceAnalysis& run);
/// "chunk 2", "chunks 2–3", "elements 4–5", "all of the data"; "a message" where nobody knows.
std::string what_is_sent(const PredictedMessage& message);

/// Where a prediction and a run part.
struct Parting {
  int step = 0;
  int row = -1;  ///< Of the predicted messages; -1: one is missing.
  std::string
      says;  ///< "Parts at step 2: you sent chunk 1 from rank 0 to rank 1, the run sends chunk 0."
  std::string where;  ///< The same without what the run does: while the question is open.
};

/// The first step in which a predicted message is not one of the run's. `all`: the prediction names every message,
/// so that one that it leaves out is a difference, too; otherwise steps without a predicted message are passed.
/// Nothing: they do not part.
std::optional<Parting> first_difference(std::span<const PredictedMessage> predicted,
                                        std::span<const PredictedMessage> run, bool all);

}  // namespace rankscope
