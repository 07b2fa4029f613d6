// The sends and receives of a trace in the form of matching/, with the facts from the program's text on each.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/analysis/matching/diagnosis.h"

namespace rankscope::finder {

/// A trace's operations as a situation for matching/.
class RunSituation {
 public:
  explicit RunSituation(const TraceOperations& facts);
  RunSituation(const RunSituation&) = delete;
  RunSituation& operator=(const RunSituation&) = delete;

  /// Its verbs are the operations, by the same numbers.
  const matching::Situation& run() const noexcept { return run_; }
  /// Returns whether an operation had no partner and did not end.
  static bool untouched(const Operation& one) noexcept {
    return one.matched == kNoEvent && one.completed == kNoEvent && one.partner == kNone;
  }

 private:
  struct LineText {
    std::string partner;
    bool in_for_loop = false;
  };
  const LineText& text_of(std::uint32_t verb);

  const TraceOperations& facts_;
  std::map<std::pair<std::uint32_t, bool>, LineText>
      texts_;  ///< By site, of sends and of receives.
  matching::Situation run_;
};

}  // namespace rankscope::finder
