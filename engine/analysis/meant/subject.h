// The variable and function that are a collective's data, and their calls on all ranks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/account/numbers.h"
#include "engine/analysis/meant/meaning.h"
#include "engine/core/run/trace_meta.h"

namespace rankscope::meant {

/// By rank that takes part, the values with which it began.
using account::Inputs;

/// The variable that is a collective's data.
struct Subject {
  std::string function;  ///< Empty for the program's main part.
  std::string file;
  int line = 0;
  std::string name;  ///< The variable's name; empty where there is none, as `problem` says.
  std::string problem;
  bool in_place = false;  ///< It holds the parts of all ranks, and a rank begins with its own.
  bool misnamed = false;  ///< The name that was given is none of the program's.

  /// "x of my_allreduce", "grad"
  std::string words() const;
};

/// Candidates for the data, the likeliest first; never empty. `data` names a variable or a function; where it is empty, these
/// are the variables that the program's messages carry.
std::vector<Subject> subjects_of(const std::vector<Handed::Call>& calls, const Meaning& meaning,
                                 const std::string& data);

/// One call of the subject's function on all ranks that made it.
struct Instance {
  std::map<Rank, const Handed::Call*> calls;
  Inputs inputs;
};
/// Returns whether each rank's part lies where it belongs in an array for all parts, whose rest is blank.
bool begins_in_place(const std::vector<Handed::Call>& calls, const Subject& subject);
/// The call of this number; without calls where no rank made it.
Instance instance_of(const std::vector<Handed::Call>& calls, const Subject& subject, int number);
/// Returns whether an array holds zeros only: one that is still to be filled is no data.
bool is_blank(const std::vector<double>& values);
/// Returns whether the variable is an argument of the function, or belongs to its object, so that the result is
/// returned or left there.
bool is_given(const Handed::Call& call, const std::string& name);

/// Returns whether only the arrays are known that the program watches: in C++.
bool only_watched(const Handed::Call& call);

/// Returns whether a verb (with its line) is a collective that is given counts, of blocks that need not be equal.
bool takes_counts(const std::pair<int, std::string>& verb);

}  // namespace rankscope::meant
