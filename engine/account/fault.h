// Faults: data that is missing, there too often or where it does not belong, and the words that say so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/account/shares.h"
#include "engine/core/base/types.h"

namespace rankscope {

/// A task of a schedule: the rank that does it, and its number there.
struct TaskId {
  Rank rank = 0;
  int task = 0;
  auto operator<=>(const TaskId&) const = default;
};

}  // namespace rankscope

namespace rankscope::account {

/// Data that is not as promised in one place, or, in a schedule, an order that leaves the data to chance.
struct Fault {
  enum class Kind : std::uint8_t {
    missing,
    doubled,    ///< There more often than promised.
    foreign,    ///< There, but not promised.
    unknown,    ///< A number from which no data can be read.
    unwritten,  ///< Memory is read before it is written.
    race,       ///< Two tasks of a rank use the same memory, and none waits for the other.
    length,     ///< A message is longer or shorter than its receive.
    unmatched,  ///< A send without a receive, or a receive without a send.
    cycle       ///< Ranks wait for each other for ever.
  };
  Kind kind = Kind::missing;
  Rank rank = -1;    ///< The rank on which it shows.
  Count place = -1;  ///< The element of its result, in a schedule the chunk; -1 if it has no place.
  /// The data, each share as often as it is there: 0 times if it is missing.
  std::vector<Share> shares = {};
  int step = 0;  ///< The step in which it stops being right; 0 for the end, or if unknown.
  /// The counter-example: tasks that receive the data on its way or should have brought it, or that wait for each
  /// other.
  std::vector<TaskId> path = {};
  std::string words = {};  ///< One sentence, without its full stop.

  /// The rank whose data it is; -1 if it is nobody's.
  Rank source() const noexcept { return shares.empty() ? -1 : shares.front().rank; }
  std::vector<Rank> sources() const;
};
/// "contribution missing", "race", "cycle"
std::string_view to_string(Fault::Kind kind) noexcept;

/// Returns the differences between the shares that a value has and those that it should have, one of each kind at most:
/// missing, doubled, foreign.
std::vector<Fault> faults_in(const Shares& held, const Shares& wanted);
/// Returns what distinguishes them, as the end of a sentence: "has rank 2 twice and lacks ranks 0 and 1". With `unit`,
/// data is named by its place, too: "lacks rank 0's chunk 3". Empty if they are equal.
std::string fault_words(const Shares& held, const Shares& wanted, std::string_view unit = {});

}  // namespace rankscope::account
