// The result that a rank's call should have, and the one with which it ends.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/analysis/meant/meaning.h"
#include "engine/analysis/meant/subject.h"

namespace rankscope::meant {
/// A rank's result, where the ranks of the inputs are counted in ascending order. Empty where the inputs do not allow
/// it (a reduction of other lengths), or the result is not defined.
std::vector<double> expected_values(const Meaning& meaning, Rank root, const Inputs& inputs,
                                    Rank rank);
/// The first element of two lists of the same length that differs by more than rounding of numbers of this type; or -1.
std::ptrdiff_t first_difference(const std::vector<double>& got, const std::vector<double>& expected,
                                const std::string& dtype);
/// Returns whether both are equal except for rounding of numbers of this type; empty lists are not.
bool same(const std::vector<double>& got, const std::vector<double>& expected,
          const std::string& dtype);

/// A rank's result, as far as it can be seen, and the line that made it.
struct Outcome {
  std::vector<double> values;
  int line = 0;
  std::string name;  ///< The variable's name; empty for what the call returns.
};

/// A number as people write it: whole ones in full.
std::string number_text(double value);
/// Returns whether a verb receives into an array: a message's, or a collective.
bool receives(const std::string& verb);
/// Returns whether a verb carries data: message verbs and collectives do, barriers and waits do not.
bool carries_data(const std::string& verb);
bool is_message(const std::string& verb);
/// Returns whether the program sends messages itself, so that a built-in collective is only a check.
bool sends_itself(const Handed::Call& call);
bool is_broadcast(const std::string& verb);
/// Returns whether any value that the call leaves is as expected.
bool is_right(const Handed::Call& call, const std::string& name,
              const std::vector<double>& expected, const std::string& dtype);
/// The likeliest result of a wrong call, where these values were expected.
Outcome outcome_of(const Handed::Call& call, const std::string& name,
                   const std::vector<double>& expected);
/// The ranks whose result is wrong, for the root with the fewest of them, and those whose result is defined.
struct Comparison {
  std::vector<Rank> wrong, judged;
  Rank root = 0;
  std::string problem;  ///< Why nothing can be compared; or empty.
};
Comparison compare(const Instance& instance, const Meaning& meaning, const std::string& name);
std::string dtype_of(const Instance& instance, const std::string& name);

}  // namespace rankscope::meant
