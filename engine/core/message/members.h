// The world ranks of a communicator's members, in their order.
#pragma once

#include <memory>
#include <numeric>
#include <vector>

#include "engine/core/base/ranges.h"
#include "engine/core/base/types.h"

namespace rankscope {

/// Shared by copies. If the members are all ranks of the world in order, no list is stored, because a simulation may
/// have very many.
class Members {
 public:
  static Members all(int size) {
    Members out;
    out.size_ = size;
    return out;
  }
  explicit Members(std::vector<Rank> ranks)
      : size_(static_cast<int>(ranks.size())),
        ranks_(std::make_shared<const std::vector<Rank>>(std::move(ranks))) {}

  int size() const noexcept { return size_; }
  /// Precondition: 0 <= rank < size.
  Rank operator[](Rank rank) const noexcept {
    return ranks_ ? (*ranks_)[static_cast<std::size_t>(rank)] : rank;
  }
  /// Returns -1 for a rank that is not a member.
  Rank index_of(Rank world) const noexcept {
    if (!ranks_) return world >= 0 && world < size_ ? world : -1;
    const auto found = ranges::find(*ranks_, world);
    return found == ranks_->end() ? -1 : static_cast<Rank>(found - ranks_->begin());
  }
  std::vector<Rank> list() const {
    if (ranks_) return *ranks_;
    std::vector<Rank> out(static_cast<std::size_t>(size_));
    std::iota(out.begin(), out.end(), 0);
    return out;
  }

 private:
  Members() = default;
  int size_ = 0;
  std::shared_ptr<const std::vector<Rank>> ranks_;
};

}  // namespace rankscope
