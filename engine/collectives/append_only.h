// A table that grows while others read it.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

namespace rankscope {

/// Rows that keep their places. One thread at a time adds; any number of threads reads.
template <class Row>
class AppendOnly {
 public:
  static constexpr std::size_t kRoom = 256;  ///< How many rows may be added.

  explicit AppendOnly(std::span<const Row> first)
      : rows_(first.begin(), first.end()), count_(first.size()) {
    rows_.resize(first.size() + kRoom);
  }
  std::span<const Row> rows() const noexcept {
    return {rows_.data(), count_.load(std::memory_order_acquire)};
  }
  bool has_room(std::size_t more) const noexcept { return rows().size() + more <= rows_.size(); }
  /// Precondition: there is room.
  void add(const Row& row) {
    const std::size_t count = rows().size();
    rows_[count] = row;
    count_.store(count + 1, std::memory_order_release);
  }

 private:
  std::vector<Row> rows_;
  std::atomic<std::size_t> count_;
};

}  // namespace rankscope
