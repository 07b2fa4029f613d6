// Messages without data: which ranks a rank has heard of, directly or through others.
#pragma once

#include <vector>

#include "engine/analysis/narration/step_facts.h"

namespace rankscope::narration {

class Arrivals {
 public:
  /// Worlds beyond this number are not followed.
  static constexpr int kMostRanks = 256;

  Arrivals(const TraceAnalysis& analysis, const StepReader& reader);

  /// Numbers of ranks, itself included, of which the least and the best informed rank know after a step that they have
  /// arrived; 0 if unknown.
  struct Count {
    int least = 0, most = 0;
  };
  Count after(int step) const;

 private:
  std::vector<Count> after_;  ///< By step; empty if unknown.
};

}  // namespace rankscope::narration
