// The input and the result of each rank of a program, as its processes noted them (rankscope/_observed.py).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/base/types.h"

namespace rankscope {

/// A program in C++ finds its new memory filled with this byte: large negative numbers, of no program's own, show it.
constexpr std::byte kUnwritten{0xFE};

struct Handed {
  /// A variable's numbers in order, whatever holds them. NaN stands for a value that is not a finite number.
  struct Values {
    std::vector<double> values;
    std::string dtype;
    std::optional<std::vector<Count>> shape;
    bool scalar() const noexcept { return shape && shape->empty(); }
  };

  /// A change of a variable by a line. Without values if they are too many.
  struct Change {
    int line = 0;
    std::string name;
    std::vector<double> values;
  };

  struct Loop {
    int first = 0, last = 0, passes = 0;
  };

  /// One call of a function that communicates, or of the main part (whose function is empty).
  struct Call {
    Rank rank = -1;
    int size = 0;                        ///< The rank's world size; 0 if unknown.
    std::string key;                     ///< The key by which the rank joined its world.
    std::string function, file, caller;  ///< caller: the text of the calling line.
    int line = 0;
    int number = 0;  ///< 0 for the function's first call.
    int end = 0;     ///< The line at which it returned.
    std::map<std::string, Values> begin, after;
    std::vector<std::string> arguments, carried;  ///< carried: named in the lines of its messages.
    std::vector<std::string> exchanged;           ///< Named in lines with sends and receives.
    std::optional<Values> result;
    bool returns = false;
    std::vector<Change> history;
    /// Line and name of each message verb and collective.
    std::vector<std::pair<int, std::string>> verbs;
    std::vector<Loop> loops;
    std::vector<std::pair<int, std::vector<double>>> printed;

    std::string site(int at) const;  ///< "ring.py:14"
  };

  struct PrintedBytes {
    Rank rank = -1;   ///< -1: no rank, for example the driver of Ray's actors.
    int size = 0;     ///< The rank's world size; 0 if unknown.
    std::string key;  ///< The key by which the rank joined its world.
    std::string text, file;
    int line = 0;
    std::vector<int> counted;  ///< Lines that count elements into the printed number.
  };

  /// A rank's note on a call that its platform carries out differently than intended.
  struct Remark {
    Rank rank = -1;
    int size = 0;     ///< The rank's world size; 0 if unknown.
    std::string key;  ///< The key by which the rank joined its world.
    std::string what, why, advice, file;
    int line = 0;
    bool harmless = false;  ///< It may be meant so.
    std::string state;      ///< If not empty, the remark counts only if the ranks' states differ.
    bool lacks = false;  ///< In `advice`: the program called a part of its platform that we lack.
  };

  std::string as, data;  ///< The options --as and --data; empty if not given.
  int ranks = 0;
  std::vector<Call> calls, telling;  ///< telling: from a run whose inputs identify their rank.
  std::vector<PrintedBytes> printed;
  std::vector<Remark> remarks;
  std::vector<Remark> advice;  ///< How to repair the error that ended a rank, if that is known.

  bool empty() const noexcept {
    return calls.empty() && telling.empty() && printed.empty() && remarks.empty() && advice.empty();
  }
};

/// Adds notes from lines of JSON; skips damaged ones.
void parse_notes(std::string_view lines, Handed& into);

nlohmann::json json_of(const Handed& handed);
/// Reads the output of json_of(); skips notes that cannot be read.
Handed handed_of(const nlohmann::json& kept, int ranks);

}  // namespace rankscope
