// A table with an entry for each operation of a trace.
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/core/trace/event.h"

namespace rankscope {

/// A map from operations to small values. Operations count up on each rank, so this is one vector per rank; entries far
/// outside (of a damaged file) go into a hash map.
template <class T>
class OpTable {
 public:
  explicit OpTable(T missing) : missing_(std::move(missing)) {}

  T& operator[](OpId op) {
    const auto rank = static_cast<std::size_t>(rank_of(op));
    const auto counter = counter_of(op);
    if (!far_.empty())
      if (const auto found = far_.find(op); found != far_.end()) return found->second;
    if (rank >= kMostRanks) return far_.emplace(op, missing_).first->second;
    if (rank >= ranks_.size()) ranks_.resize(rank + 1);
    auto& of_rank = ranks_[rank];
    ++of_rank.uses;
    if (counter >= of_rank.values.size()) {
      if (counter > 4 * of_rank.uses + 64) return far_.emplace(op, missing_).first->second;
      of_rank.values.resize(counter + counter / 2 + 1, missing_);
    }
    return of_rank.values[counter];
  }
  const T& find(OpId op) const {
    const auto rank = static_cast<std::size_t>(rank_of(op));
    const auto counter = counter_of(op);
    if (rank < ranks_.size() && counter < ranks_[rank].values.size() &&
        ranks_[rank].values[counter] != missing_)
      return ranks_[rank].values[counter];
    const auto found = far_.find(op);
    return found == far_.end() ? missing_ : found->second;
  }

 private:
  static constexpr std::size_t kMostRanks = 1 << 16;
  struct OfRank {
    std::vector<T> values;
    std::uint64_t uses = 0;
  };
  static constexpr std::uint64_t counter_of(OpId op) noexcept {
    return op & ((OpId{1} << kOpCounterBits) - 1);
  }
  T missing_;
  std::vector<OfRank> ranks_;
  std::unordered_map<OpId, T> far_;
};

}  // namespace rankscope
