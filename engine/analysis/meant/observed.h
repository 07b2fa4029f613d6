// What the ranks of a program held before and after its calls, as they noted it (rankscope/_observed.py).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/trace/trace.h"

namespace rankscope::meant {

/// Numbers of a variable, in whatever it holds them, one after the other. NaN: no finite number.
struct Values {
  std::vector<double> values;
  std::string dtype;
  bool scalar = false;
};

/// A line changed a variable. Without values: they are too many.
struct Change {
  int line = 0;
  std::string name;
  std::vector<double> values;
};

struct Loop {
  int first = 0, last = 0, passes = 0;
};

/// One call of a function that communicates, or the main part (whose function is empty).
struct ObservedCall {
  Rank rank = -1;
  std::string function, file, caller;  ///< caller: the text of the line that calls.
  int line = 0, number = 0,
      end = 0;  ///< number: 0 is its first call; end: the line it returned at.
  std::map<std::string, Values> begin, after;
  std::vector<std::string> arguments, carried;  ///< carried: named in the lines of its messages.
  std::optional<Values> result;
  bool returns = false;
  std::vector<Change> history;
  std::vector<std::pair<int, std::string>>
      verbs;  ///< Line and name of each message verb and collective.
  std::vector<Loop> loops;
  std::vector<std::pair<int, std::vector<double>>> printed;

  std::string site(int at) const;  ///< "ring.py:14"
};

/// A line that a program printed about bytes.
struct PrintedBytes {
  Rank rank = -1;  ///< -1: no rank, as the driver of Ray's actors.
  std::string text, file;
  int line = 0;
  std::vector<int> counted;  ///< Lines that count elements into what is printed.
};

struct Observations {
  std::string as, data;  ///< What was asked for; empty: nothing.
  int ranks = 0;
  std::vector<ObservedCall> calls, telling;  ///< telling: of the run with telling inputs.
  std::vector<PrintedBytes> printed;
};

/// The lines that processes noted. Of damaged lines nothing is taken.
nlohmann::json parse_notes(const std::string& lines);
/// Of what is kept with a run: {"as", "data", "notes", "telling"}.
Observations observations_of(const nlohmann::json& kept, int ranks);
/// Keeps notes with a run's result.
void keep_notes(TraceMeta& meta, const nlohmann::json& notes);
/// Nothing: the trace has none.
std::optional<Observations> observations_in(const TraceMeta& meta);
/// The trace's result, which says that this is meant. Nothing: what the ranks began and ended with was not noted.
std::optional<std::string> result_that_means(const TraceMeta& meta, const std::string& as,
                                             const std::string& data);

}  // namespace rankscope::meant
