// The variable and function that are a collective's data, and their calls on all ranks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/account/numbers.h"
#include "engine/analysis/meant/meaning.h"
#include "engine/core/run/trace_meta.h"

namespace rankscope::meant {

/// For each rank that takes part, the values that it began with.
using account::Inputs;

/// The variable that is a collective's data.
struct Subject {
  std::string function;  ///< Empty for the program's main part.
  std::string file;
  int line = 0;
  std::string name;  ///< The variable's name; empty if there is none, with the reason in `problem`.
  std::string problem;
  bool in_place = false;  ///< It has room for all ranks' parts, and begins with the rank's own.
  bool misnamed = false;  ///< The program has no variable or function of the given name.

  /// "x of my_allreduce", "grad"
  std::string words() const;
};

/// Returns candidates for the data, the likeliest first; at least one. `data` names a variable or a function; if it is empty,
/// the candidates are the variables that the program's messages carry.
std::vector<Subject> subjects_of(const std::vector<Handed::Call>& calls, const Meaning& meaning,
                                 const std::string& data);

/// One call of the subject's function on all ranks that made it.
struct Instance {
  std::map<Rank, const Handed::Call*> calls;
  Inputs inputs;
};
/// Returns whether each rank's array has room for all parts, with its own part in its place and one value elsewhere.
bool begins_in_place(const std::vector<Handed::Call>& calls, const Subject& subject);
/// Returns each rank's call of this number; none if no rank made it.
Instance instance_of(const std::vector<Handed::Call>& calls, const Subject& subject, int number);
/// Returns whether an array holds only zeros, as one does that is still to be filled.
bool is_blank(const std::vector<double>& values);
/// Returns whether the variable is an argument of the function or a member of its object, where a result can be left.
bool is_given(const Handed::Call& call, const std::string& name);

/// Returns whether only arrays that the program watches are known, as in C++.
bool only_watched(const Handed::Call& call);

/// Returns whether a verb (with its line) is a collective with counts, whose blocks need not be equal.
bool takes_counts(const std::pair<int, std::string>& verb);

}  // namespace rankscope::meant
