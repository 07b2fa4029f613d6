// Judges a run's results by the collective that was meant, with the cause of wrong ones.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/findings/findings.h"
#include "engine/analysis/meant/meaning.h"
#include "engine/analysis/meant/subject.h"
#include "engine/core/run/trace_meta.h"

namespace rankscope::meant {

/// The first wrong element of a rank's result.
struct WrongElement {
  Rank rank = -1;
  Count index = 0;
  double got = 0, expected = 0;
};

/// The judgement of a run's results.
struct Verdict {
  enum class State : std::uint8_t { right, wrong, unknown };
  State state = State::unknown;
  std::string words;  ///< "The result is that of an allreduce (sum) of x on all 4 ranks."
  /// Findings on a wrong result, or on an input that a function changed.
  std::vector<Finding> findings;
  std::vector<WrongElement> wrong;  ///< By rank, for results of the right length.
  std::string data;                 ///< The variable that was compared; empty if none was found.
  std::string function;  ///< The function whose call was compared; empty for the main part.
  std::vector<Rank> lacking = {};   ///< The ranks whose data a wrong result lacks.
  std::vector<Rank> repeated = {};  ///< The ranks whose data it has several times.
  Inputs inputs = {};      ///< The data that the ranks began with in the program's own run.
  bool in_loop = false;    ///< The loop around the finding's line makes too few steps.
  bool unwritten = false;  ///< The result begins with memory that nobody wrote.
  bool misnamed = false;   ///< The program has no variable or function of the given name.
  bool certain = false;    ///< The program's own numbers show the cause: no second run is needed.
};

/// Looks for causes in the `telling` observations if there are any, else in the program's own data.
Verdict judge(const Handed& observed, const Meaning& meaning, const std::string& data);
/// Judges by the meaning in the trace itself; returns nothing if there is none.
std::optional<Verdict> judge(const TraceMeta& meta);

}  // namespace rankscope::meant
