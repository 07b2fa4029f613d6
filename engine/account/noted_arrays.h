// A program's result in an array that no message names, or that is made again and again: its changes are those that its rank
// noted. A reduce-scatter's result may be the rank's chunk alone.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/account/follow_events.h"
#include "engine/account/memory.h"
#include "engine/account/pieces.h"
#include "engine/core/run/handed.h"

namespace rankscope::account {

inline constexpr double kRounding = 1e-6;  // the relative error of a sum in another order

/// Contents of a program's array.
struct Known {
  std::vector<double> values;
  Memory what;
};
/// A message's contents on arrival.
struct Arrival {
  Memory what;
  std::vector<double> values;
  bool in_place = false;                               ///< It came into the data itself.
  std::string name = {};                               ///< The array into which it came.
  std::pair<std::uint32_t, std::uint64_t> place = {};  ///< Its buffer, and the offset there.
  Cursor cursor = 0;
};

/// Returns whether each overwrote the one before in memory, so that the program used that one before the next one came.
bool replace_each_other(std::span<const Arrival> arrivals);

/// Returns whether these elements are zeros: a sum with them cannot be distinguished from a copy.
bool has_only_zeros(const std::vector<double>& values, Range range);
/// An array's values at the end of a call.
const std::vector<double>& last_values(const Handed::Call& call, const std::string& name);
/// Returns what an array holds: a copy of the rank's own data or of a message, or the sum of both. Unknown if several
/// of these have the values.
Memory recognised_in(const std::vector<double>& own, Rank rank, const std::vector<Arrival>& arrived,
                     const std::vector<double>& values);

class NotedArrays {
 public:
  struct OfRank {
    NotedResult noted;
    const Handed::Call* call = nullptr;
    std::vector<double> own;  ///< What the rank began with.
    Range part;  ///< The elements of the data that the result has: all, or the rank's chunk.
    std::vector<Arrival> arrived;
    Count count() const noexcept { return std::ssize(own); }
    /// The rank's data with the result in its place.
    std::vector<double> placed(const std::vector<double>& result) const;
  };

  NotedArrays() = default;
  /// Finds the arrays of a run with at most `most` events; none unless all ranks noted theirs.
  NotedArrays(const Trace& trace, const Pieces& pieces, std::uint64_t most);

  bool any() const noexcept { return !ranks_.empty(); }
  /// Returns whether every change was explained, and some were sums.
  bool explains_sums() const noexcept { return adds_ && explained_; }
  /// Returns false if the array is only presumed to be the result, and its changes do not confirm it.
  bool holds() const noexcept { return !guessed_ || explains_sums(); }
  OfRank& of(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const OfRank& of(Rank rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  Memory recognised(Rank rank, const std::vector<double>& values) const {
    return recognised_in(of(rank).own, rank, of(rank).arrived, values);
  }
  /// Explains all changes once all messages have arrived; a noted receive dates the changes after it.
  void follow(OfRank& of, const std::function<void(Cursor, const Memory&)>& write);

 private:
  bool add_in_turn(OfRank& of, const std::vector<double>& values,
                   const std::function<void(Cursor, const Memory&)>& write);

  std::vector<OfRank> ranks_;
  bool guessed_ = false, adds_ = false, explained_ = true;
};

}  // namespace rankscope::account
