// A rank's own part of the shared memory, from which it takes what others are to read in place.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "transports/shm/shm_memory.h"

namespace rankscope::shm {

/// Blocks of powers of two. What it knows of them lies in this process alone. Thread-safe.
class Arena {
 public:
  Arena(std::shared_ptr<Memory> memory, Rank rank);

  /// Null: there is no room left. Aligned to a cache line.
  std::byte* take(std::size_t bytes) noexcept;
  void give_back(std::byte* block) noexcept;
  bool holds(const std::byte* data, std::size_t bytes) const noexcept;
  std::uint64_t offset_of(const std::byte* data) const noexcept {
    return static_cast<std::uint64_t>(data - base_);
  }
  Memory& memory() const noexcept { return *memory_; }

 private:
  static constexpr std::size_t kClasses = 40;
  const std::shared_ptr<Memory> memory_;
  std::byte* const base_;
  std::mutex mutex_;
  std::size_t used_;
  std::size_t idle_bytes_ = 0;  ///< Of large free blocks that still have their memory.
  std::array<std::vector<std::byte*>, kClasses> free_;
  std::unordered_map<const std::byte*, std::size_t> class_of_;
};

}  // namespace rankscope::shm
