// Which ranks' contributions the messages and results of a run hold, read from inputs that number every contribution.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/account/fault.h"
#include "engine/analysis/results/result_words.h"
#include "engine/analysis/trace_analysis.h"

namespace rankscope {

/// A message of the program's own.
struct FlowMessage {
  Rank from = -1, to = -1;
  int round = 0;
  std::vector<account::Shares>
      elements;  ///< Empty where they were not kept, or are no numbers of the run.
  std::uint64_t sent = kNoEvent, received = kNoEvent;
};

/// A run of counted inputs.
struct DataFlow {
  ExerciseCase run;
  std::vector<FlowMessage> messages;  ///< By round, sender, program order.
  std::vector<std::vector<account::Shares>>
      results;  ///< By rank and element; empty where it has none.
  std::vector<std::vector<account::Shares>> expected;  ///< The results of a right run.

  /// Returns whether some message that reached `rank` holds this rank's contribution.
  bool reached(Rank rank, Rank contribution) const;
};

/// `sent`: by rank, the numbers of each of its messages in program order; empty where they are not known. `results`: one
/// a rank.
DataFlow data_flow(const TraceAnalysis& trace, const ExerciseCase& run,
                   const std::vector<std::vector<std::vector<double>>>& sent,
                   const std::vector<RankResult>& results);

/// Returns the first wrong element, or nothing. Elements that lack a contribution come first, then those that have one
/// twice, then those that hold another element's data. Results of another length than expected are left out.
std::optional<account::Fault> first_fault(const DataFlow& flow);

/// From whom the contribution should have come to the rank: by the run of a right program (whose contributions the trace
/// knows), the senders of the messages that bring it into this element; without one, the ranks that hold it at the end.
std::vector<Rank> senders_of(const DataFlow& flow, const account::Fault& fault,
                             const TraceAnalysis* right);
/// The messages that brought the rank this contribution: indices of DataFlow::messages, in order.
std::vector<std::size_t> carriers_of(const DataFlow& flow, Rank rank, Rank contribution);

}  // namespace rankscope
