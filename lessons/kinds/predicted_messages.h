// Compares the messages that an answer predicts with those of a run.
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
  int row = -1;  ///< The answer's row; -1 in an answer without rows, and in a run.
  int step = 0;  ///< From 1; a run's round.
  Rank from = -1, to = -1;
  std::string chunk = {};     ///< As typed: "2", "2-3", "elements 4-5", "all"; empty when unknown.
  std::string receiver = {};  ///< "add" or "keep", if the answer says so.
  int first = -1, last = -1;  ///< The chunks; -1 when unknown or not whole.
  bool whole = false;         ///< It carries all of the data.
};

/// The messages of an answer that name two ranks; none for forms without messages. A single message belongs to the step
/// after AnswerPicture::after.
std::vector<PredictedMessage> predicted_messages(const AnswerForm& form,
                                                 const nlohmann::json& answer);
/// The messages of a run that carry data, in the order of their rounds.
std::vector<PredictedMessage> messages_of_run(const TraceAnalysis& run);
/// "chunk 2", "chunks 2–3", "elements 4-5", "all of the data"; "a message" when unknown.
std::string what_is_sent(const PredictedMessage& message);

/// The first difference between a prediction and a run.
struct Parting {
  int step = 0;
  int row = -1;  ///< The row of the predicted message; -1 when one is missing.
  std::string
      says;  ///< "Parts at step 2: you sent chunk 1 from rank 0 to rank 1, the run sends chunk 0."
  std::string where;  ///< The same without the run's message, while the question is open.
};

/// The first step in which a predicted message is not one of the run's; nothing when there is none. With `all`, a message
/// of the run that is not predicted is a difference, too.
std::optional<Parting> first_difference(std::span<const PredictedMessage> predicted,
                                        std::span<const PredictedMessage> run, bool all);

}  // namespace rankscope
