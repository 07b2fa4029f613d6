// The result with which a rank's call ends, compared with the expected one.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/meant/subject.h"

namespace rankscope::meant {

/// A rank's result, as far as it can be seen, and the line that made it.
struct Outcome {
  std::vector<double> values;
  int line = 0;
  std::string name;  ///< The variable's name; empty for what the call returns.
};

/// Whether a verb carries data: message verbs and collectives do, barriers and waits do not.
bool carries_data(const std::string& verb);
/// Whether anything that the call leaves is as it should be.
bool is_right(const ObservedCall& call, const std::string& name,
              const std::vector<double>& expected, const std::string& dtype);
/// The likeliest result of a wrong call; one of `elements` elements if there is any.
Outcome outcome_of(const ObservedCall& call, const std::string& name, std::size_t elements);
/// The ranks whose result is wrong, for the root that makes fewest wrong; nothing is defined for the others.
struct Comparison {
  std::vector<Rank> wrong, judged;
  Rank root = 0;
  std::string problem;  ///< Not empty: nothing can be compared.
};
Comparison compare(const Instance& instance, const Meaning& meaning, const std::string& name);
std::string dtype_of(const Instance& instance, const std::string& name);

}  // namespace rankscope::meant
