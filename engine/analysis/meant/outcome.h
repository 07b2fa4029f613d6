// What a rank's call ends with, compared with what it should.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/meant/subject.h"

namespace rankscope::meant {

/// What a rank's result is, as far as can be seen, and the line that made it so.
struct Outcome {
  std::vector<double> values;
  int line = 0;
  std::string name;  ///< Of the variable; empty: what the call returns.
};

/// Of a message verb or a collective, not of a barrier or a wait.
bool carries_data(const std::string& verb);
/// Whether anything that the call leaves is as it should be.
bool is_right(const ObservedCall& call, const std::string& name,
              const std::vector<double>& expected, const std::string& dtype);
/// Of a wrong call: its likeliest result, of as many elements as expected if there is one.
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
