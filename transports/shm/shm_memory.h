// The memory that all ranks of a world on one host share: a file without a name, which ends with its last process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/core/base/fd.h"
#include "engine/core/base/types.h"
#include "transports/shm/shm_layout.h"

namespace rankscope::shm {

/// Memory for so many ranks, to be inherited by them. Throws UserError where the system has none.
Fd make_memory(int ranks);

/// It, mapped into this process.
class Memory {
 public:
  /// Throws UserError for what is no such memory, or of another world size.
  Memory(Fd fd, int ranks);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  int ranks() const noexcept { return ranks_; }
  bool spins() const noexcept { return head().spins != 0; }
  Desk& desk(Rank rank) const noexcept;
  QueueHead& queue(Rank from, Rank to) const noexcept;
  std::byte* arena(Rank rank) const noexcept { return base_ + arena_at(rank); }
  std::size_t arena_bytes() const noexcept { return arena_bytes_; }
  /// Null: it does not lie in the arena as a whole. For what another process says.
  std::byte* in_arena(Rank rank, std::uint64_t offset, std::uint64_t bytes) const noexcept;

 private:
  Head& head() const noexcept { return *reinterpret_cast<Head*>(base_); }
  std::size_t arena_at(Rank rank) const noexcept;

  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  int ranks_ = 0;
  std::size_t arena_bytes_ = 0;
};

}  // namespace rankscope::shm
