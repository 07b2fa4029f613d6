// Finds the cause of a wrong result: not divided, counted twice, another operator, lacking data ...
#pragma once

#include <cstddef>
#include <string>

#include "engine/analysis/meant/outcome.h"

namespace rankscope::meant {

/// The cause of a rank's wrong result, in the words of a finding; `line` is the program's.
struct Cause {
  std::string what, why, advice;
  int line = 0;
  Rank rank = -1;
  std::vector<Rank> lacking = {};   ///< The ranks whose data a sum lacks.
  std::vector<Rank> repeated = {};  ///< The ranks whose data it has several times.
  std::ptrdiff_t element = -1;      ///< An element that shows the cause; -1: any.
  bool shows_element = false;       ///< The words already have an element's number.
  /// The words have no rank's number; `ranks` are the wrong ranks that they are true of.
  bool general = false;
  std::vector<Rank> ranks = {};
  bool certain = false;       ///< The ranks' numbers allow no other cause.
  bool in_loop = false;       ///< The loop around the line makes too few steps.
  bool unwritten = false;     ///< It begins with memory that nobody wrote.
  bool numbers_only = false;  ///< No cause was found; the words show numbers.
};

/// A call with a wrong result.
struct WrongCall {
  const Instance& instance;
  const Meaning& meaning;
  const Comparison& comparison;
  const std::string& name;
};
/// Returns the plainest cause of a wrong result, of the first rank for which one is found.
Cause cause_of(const WrongCall& wrong);
/// Returns the first wrong element in words, without a cause.
Cause numbers_of(const WrongCall& wrong);

}  // namespace rankscope::meant
