// Tells the origin of a run's first wrong value: who held which parts of it, and where one was lost or added twice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/account/shares.h"
#include "engine/analysis/trace_analysis.h"

namespace rankscope::meant {

/// The first wrong element of a rank's result.
struct WrongResult {
  Rank rank = -1;
  Count element = 0;  ///< Index in the data as a whole.
  std::string got, expected;
};
/// One of each rank whose result is wrong: by the run's own check, else by what a program was said to mean.
std::vector<WrongResult> wrong_results(const TraceAnalysis& analysis);

/// The history of one element on all ranks.
struct WrongValue {
  struct Hop {
    std::size_t message = 0;  ///< Index in TraceAnalysis::messages().
    int round = 0;
    Rank from = -1, to = -1;
    account::Shares carried;
    account::Shares before;  ///< The receiver's, before it came.
    bool adds = false;
    bool at_fault = false;  ///< Here a part is lost, left out or added once more.
  };
  struct Place {
    account::Shares held;  ///< At the end.
    bool wrong = false;    ///< Its own first wrong element is this one, or in the same chunk.
    int right_since = -1;  ///< The round after which it stays right; 0: from the start, -1: never.
  };

  WrongResult result;
  int chunk = -1;  ///< -1: messages carry all of the data.
  /// Empty where the trace does not show what the ranks add up.
  std::vector<Hop> hops;
  std::vector<Place> places;  ///< By rank.
  std::vector<double>
      inputs;  ///< By rank; empty unless their sums are the expected and the wrong value.
  std::vector<Rank> missing, doubled;
  Rank keeper =
      -1;  ///< It holds the right value, and never sends it to the one that it usually sends to.
  std::string what, why;

  double value_of(const account::Shares& shares) const;
  bool is_right(const account::Shares& shares) const {
    return shares.complete(static_cast<int>(places.size()));
  }
};
/// Nothing where no result is wrong.
std::optional<WrongValue> find_wrong_value(const TraceAnalysis& analysis);

}  // namespace rankscope::meant
