// Payloads in a rank's arena while their receivers read them: the sender's table of them, and the lease that a receiver
// holds.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core/message/link.h"
#include "transports/shm/shm_memory.h"

namespace rankscope::shm {

/// A sender's slots. Not thread-safe.
class Slots {
 public:
  Slots(Arena& arena, Desk& desk);

  /// A frame's reference to a placed payload.
  struct Ticket {
    std::uint32_t slot = 0, generation = 0;
    std::uint64_t word() const noexcept { return std::uint64_t{generation} << 32 | slot; }
    static Ticket of(std::uint64_t word) noexcept {
      return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
    }
  };
  bool full() const noexcept { return free_.empty(); }
  /// `data` lies in the arena. With a loan it is lent until the receiver gives it back; without one it is a `block` of
  /// the arena, which is freed then. Precondition: not full.
  Ticket place(const std::byte* data, std::size_t bytes, Loan* loan, std::byte* block);
  /// Frees what receivers have given back.
  void collect() noexcept;
  /// Moves lent payloads that are not read yet, to free their memory: all of them, or those with a waiter.
  void move_away(bool all) noexcept;
  /// Returns whether a thread waits for the end of a loan.
  bool awaited() const noexcept;
  bool any_lent() const noexcept { return lent_ > 0; }
  /// Ends all loans, whatever state their receivers are in.
  void drop_loans() noexcept;

 private:
  struct Place {
    Loan* loan = nullptr;
    std::byte* block = nullptr;
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::uint32_t generation = 0;
  };
  void end_loan(Place& place) noexcept;
  bool move(std::uint32_t slot) noexcept;

  Arena& arena_;
  Desk& desk_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_, open_;
  int lent_ = 0;
};

/// A receiver's lease on a placed payload of rank `from`. Empty if the ticket is invalid.
Message lease(const std::shared_ptr<Memory>& memory, Rank from, Slots::Ticket ticket,
              std::uint64_t bytes);

}  // namespace rankscope::shm
