// The result that a rank's call should have, and the one with which it ends.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/analysis/meant/meaning.h"
#include "engine/analysis/meant/subject.h"

namespace rankscope::meant {
/// Returns the result that a rank should have, with the ranks of `inputs` taken in ascending order. Empty if it is not
/// defined, or if the inputs do not allow it (lengths that a reduction cannot combine).
std::vector<double> expected_values(const Meaning& meaning, Rank root, const Inputs& inputs,
                                    Rank rank);
/// Returns the first element that differs by more than this type's rounding, in two lists of the same length; -1 if none does.
std::ptrdiff_t first_difference(const std::vector<double>& got, const std::vector<double>& expected,
                                const std::string& dtype);
/// Returns whether both are equal except for rounding of numbers of this type; empty lists are not.
bool same(const std::vector<double>& got, const std::vector<double>& expected,
          const std::string& dtype);

/// A rank's result, as far as it is known, and the line that made it.
struct Outcome {
  std::vector<double> values;
  int line = 0;
  std::string name;  ///< The variable's name; empty for the call's return value.
};

/// Returns a number as people write it: whole ones in full.
std::string number_text(double value);
/// Returns whether a verb receives into an array: a message's, or a collective.
bool receives(const std::string& verb);
/// Returns whether a verb carries data: message verbs and collectives do, barriers and waits do not.
bool carries_data(const std::string& verb);
bool is_message(const std::string& verb);
/// Returns whether the program sends messages itself, so that a built-in collective is only a check.
bool sends_itself(const Handed::Call& call);
bool is_broadcast(const std::string& verb);
/// Returns whether any value that the call leaves or returns is the expected one.
bool is_right(const Handed::Call& call, const std::string& name,
              const std::vector<double>& expected, const std::string& dtype);
/// Returns the likeliest result of a wrong call of which these values were expected.
Outcome outcome_of(const Handed::Call& call, const std::string& name,
                   const std::vector<double>& expected);
/// The ranks whose result is wrong and those whose result is defined, for the root with the fewest wrong ranks.
struct Comparison {
  std::vector<Rank> wrong, judged;
  Rank root = 0;
  std::string problem;  ///< The reason if nothing can be compared; else empty.
};
Comparison compare(const Instance& instance, const Meaning& meaning, const std::string& name);
std::string dtype_of(const Instance& instance, const std::string& name);

}  // namespace rankscope::meant
