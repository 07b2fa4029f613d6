// A program's result in an array that no message names, or that is made again and again: its changes are those that its rank
// noted.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/account/follow_events.h"
#include "engine/account/memory.h"
#include "engine/account/pieces.h"
#include "engine/core/run/handed.h"

namespace rankscope::account {

inline constexpr double kRounding = 1e-6;  // of sums in other orders

/// Contents of a program's array.
struct Known {
  std::vector<double> values;
  Memory what;
};
/// A message's contents as it came.
struct Arrival {
  Memory what;
  std::vector<double> values;
  bool in_place = false;  ///< It came into the data itself.
  std::string name = {};  ///< The array into which it came.
  Cursor cursor = 0;
};

/// Zeros can be added without a trace, and a sum with them cannot be told from a copy.
bool has_only_zeros(const std::vector<double>& values, Range range);
/// An array's values at the end of a call.
const std::vector<double>& last_values(const Handed::Call& call, const std::string& name);
/// Returns what an array holds: a copy of what the rank began with or of what came, or the sum of both. Unknown where
/// several have these values.
Memory recognised_in(const std::vector<double>& own, Rank rank, const std::vector<Arrival>& arrived,
                     const std::vector<double>& values);

class NotedArrays {
 public:
  struct OfRank {
    NotedResult noted;
    const Handed::Call* call = nullptr;
    std::vector<double> own;  ///< With what the rank began.
    std::vector<Arrival> arrived;
    Count count() const noexcept { return std::ssize(own); }
  };

  NotedArrays() = default;
  /// Without any unless all ranks noted it, of runs with at most `most` events.
  NotedArrays(const Trace& trace, const Pieces& pieces, std::uint64_t most);

  bool any() const noexcept { return !ranks_.empty(); }
  /// Every change was explained, and some were sums.
  bool explains_sums() const noexcept { return adds_ && explained_; }
  OfRank& of(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const OfRank& of(Rank rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  Memory recognised(Rank rank, const std::vector<double>& values) const {
    return recognised_in(of(rank).own, rank, of(rank).arrived, values);
  }
  /// Goes through all changes once all messages have come; a receive that was noted gives the changes after it their moment.
  void follow(OfRank& of, const std::function<void(Cursor, const Memory&)>& write);

 private:
  std::vector<OfRank> ranks_;
  bool adds_ = false, explained_ = true;
};

}  // namespace rankscope::account
