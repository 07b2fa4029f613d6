// The memory that all ranks of a world on one host share: an anonymous file that ends with its last process.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/core/base/deadline.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/types.h"

namespace rankscope::shm {

inline constexpr std::size_t kLine = 64, kPage = 4096;
inline constexpr std::uint64_t kMagic = 0x31304d485353'5352;  // "RSSSHM01"
inline constexpr std::size_t kSlots = 1024;

/// A rank's bell, rung when it has a message or gets a loan back. Ringing makes a system call only if the rank sleeps.
struct alignas(kLine) Bell {
  std::atomic<std::uint32_t> events{0};  ///< Number of all events.
  std::atomic<std::uint32_t> asleep{0};  ///< The futex: 1 while the rank sleeps.
};

/// A payload that stays in its sender's arena until its receiver gives it back. `state` is a generation and a
/// SlotState, so that a late update for an earlier payload has no effect.
struct alignas(kLine) Slot {
  std::atomic<std::uint32_t> state{0};
  std::atomic<std::uint64_t> offset{0};  ///< In the sender's arena.
  std::atomic<std::uint64_t> moved{0};   ///< The sender's copy, if it needed the memory.
};

/// lent: the receiver has not started. claimed: it reads, or is about to. moving: the sender is making a copy.
enum class SlotState : std::uint32_t { free, lent, claimed, moving, moved, returned };
constexpr std::uint32_t slot_word(std::uint32_t generation, SlotState state) noexcept {
  return generation << 3 | static_cast<std::uint32_t>(state);
}
constexpr SlotState state_of(std::uint32_t word) noexcept {
  return static_cast<SlotState>(word & 7);
}

/// A rank's own part of the memory.
struct alignas(kLine) Desk {
  Bell bell;
  std::array<Slot, kSlots> slots;
};

/// The head of one queue: the place of its first segment in the sender's arena, or 0 before the first message.
struct alignas(kLine) QueueHead {
  std::atomic<std::uint64_t> first{0};
};

/// The head of a ring of bytes in the sender's arena; the bytes follow. A sender that finds it full continues in a
/// larger ring.
struct Segment {
  alignas(kLine) std::uint64_t capacity = 0;  ///< A power of two.
  alignas(kLine) std::atomic<std::uint64_t> written{0};
  alignas(kLine) std::atomic<std::uint64_t> read{0};
  alignas(kLine) std::atomic<std::uint32_t> left{
      0};  ///< Set when the reader has continued in the next ring.
};

struct alignas(kLine) Head {
  std::uint64_t magic = 0;
  std::uint32_t ranks = 0;
  std::uint32_t spins = 0;  ///< 1 if each rank has a processor, so that it polls before it sleeps.
  std::uint64_t arena_bytes = 0;
};

/// Makes memory for these ranks to inherit. Throws UserError if the system has none.
Fd make_memory(int ranks);

/// The shared memory, mapped into this process.
class Memory {
 public:
  /// Throws UserError if it is not such memory, or is of another world size.
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
  /// Returns null unless the whole range lies in the arena, because another process wrote the offset.
  std::byte* in_arena(Rank rank, std::uint64_t offset, std::uint64_t bytes) const noexcept;

 private:
  Head& head() const noexcept { return *reinterpret_cast<Head*>(base_); }
  std::size_t arena_at(Rank rank) const noexcept;

  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  int ranks_ = 0;
  std::size_t arena_bytes_ = 0;
};

/// Allocates power-of-two blocks in a rank's arena. Its bookkeeping is in this process alone. Thread-safe.
class Arena {
 public:
  Arena(std::shared_ptr<Memory> memory, Rank rank);

  /// Returns memory aligned to a cache line, or null if there is no room left.
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
  std::size_t idle_bytes_ =
      0;  ///< Bytes of large free blocks whose memory has not been returned to the system yet.
  std::array<std::vector<std::byte*>, kClasses> free_;
  std::unordered_map<const std::byte*, std::size_t> class_of_;
};

/// Reports an event to the rank of this bell, and wakes it if it sleeps.
void ring(Bell& bell) noexcept;
/// Wakes the rank if it sleeps. Async-signal-safe.
void wake(Bell& bell) noexcept;

/// Returns the number of events so far; read it before polling for them.
inline std::uint32_t events_of(const Bell& bell) noexcept {
  return bell.events.load(std::memory_order_acquire);
}
void block(Bell& bell, Deadline deadline) noexcept;

/// Waits until there are more than `seen` events, wake() is called, or the deadline passes. May return early.
/// Calls `stay_awake()` once all others can see that this rank is about to sleep; returns at once if it is true.
template <class StayAwake>
void sleep(Bell& bell, std::uint32_t seen, Deadline deadline, StayAwake stay_awake) noexcept {
  // Ordered with ring(): either the ringer finds this rank asleep, or this rank finds the event.
  bell.asleep.store(1, std::memory_order_seq_cst);
  if (bell.events.load(std::memory_order_seq_cst) == seen && !stay_awake()) block(bell, deadline);
  bell.asleep.store(0, std::memory_order_relaxed);
}

}  // namespace rankscope::shm
