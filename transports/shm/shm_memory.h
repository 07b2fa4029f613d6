// The memory that all ranks of a world on one host share: a file without a name, which ends with its last process.
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

/// Where others ring when something has come for its rank: a message, or a loan given back. They only call the
/// system when the rank sleeps.
struct alignas(kLine) Bell {
  std::atomic<std::uint32_t> events{0};  ///< All of them.
  std::atomic<std::uint32_t> asleep{0};  ///< The futex: 1 while the rank sleeps.
};

/// A payload that stays in its sender's arena until its receiver gives it back. `state` is a generation and a
/// SlotState, so that a late word about an earlier payload changes nothing.
struct alignas(kLine) Slot {
  std::atomic<std::uint32_t> state{0};
  std::atomic<std::uint64_t> offset{0};  ///< In the sender's arena.
  std::atomic<std::uint64_t> moved{
      0};  ///< Where its sender has put a copy, when it needed the memory.
};

/// lent: the receiver has not begun. claimed: it reads, or is about to. moving: its sender makes a copy.
enum class SlotState : std::uint32_t { free, lent, claimed, moving, moved, returned };
constexpr std::uint32_t slot_word(std::uint32_t generation, SlotState state) noexcept {
  return generation << 3 | static_cast<std::uint32_t>(state);
}
constexpr SlotState state_of(std::uint32_t word) noexcept {
  return static_cast<SlotState>(word & 7);
}

/// A rank's own part.
struct alignas(kLine) Desk {
  Bell bell;
  std::array<Slot, kSlots> slots;
};

/// The beginning of one queue: where its first segment lies in the sender's arena; 0: nothing was sent yet.
struct alignas(kLine) QueueHead {
  std::atomic<std::uint64_t> first{0};
};

/// A ring of bytes in the sender's arena; its memory follows. A sender that finds one full continues in a larger one.
struct Segment {
  alignas(kLine) std::uint64_t capacity = 0;  ///< A power of two.
  alignas(kLine) std::atomic<std::uint64_t> written{0};
  alignas(kLine) std::atomic<std::uint64_t> read{0};
  alignas(kLine) std::atomic<std::uint32_t> left{0};  ///< The reader continues in the next one.
};

struct alignas(kLine) Head {
  std::uint64_t magic = 0;
  std::uint32_t ranks = 0;
  std::uint32_t spins = 0;  ///< A rank that waits may look for a while before it sleeps.
  std::uint64_t arena_bytes = 0;
};

/// Makes memory for these ranks to inherit. Throws UserError where the system has none.
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
  /// Returns null unless all of it lies in the arena: for offsets that another process wrote.
  std::byte* in_arena(Rank rank, std::uint64_t offset, std::uint64_t bytes) const noexcept;

 private:
  Head& head() const noexcept { return *reinterpret_cast<Head*>(base_); }
  std::size_t arena_at(Rank rank) const noexcept;

  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  int ranks_ = 0;
  std::size_t arena_bytes_ = 0;
};

/// Blocks of powers of two. What it knows of them lies in this process alone. Thread-safe.
class Arena {
 public:
  Arena(std::shared_ptr<Memory> memory, Rank rank);

  /// Returns memory aligned to a cache line, or null when there is no room left.
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
  std::size_t idle_bytes_ = 0;  ///< Bytes of large free blocks whose memory was not yet given back.
  std::array<std::vector<std::byte*>, kClasses> free_;
  std::unordered_map<const std::byte*, std::size_t> class_of_;
};

/// There is something for the rank of this bell: wakes it, if it sleeps.
void ring(Bell& bell) noexcept;
/// Wakes it, if it sleeps. Async-safe.
void wake(Bell& bell) noexcept;

/// How much has come so far, read before one looks for it.
inline std::uint32_t events_of(const Bell& bell) noexcept {
  return bell.events.load(std::memory_order_acquire);
}
void block(Bell& bell, Deadline deadline) noexcept;

/// Until there is more than `seen`, wake(), or the deadline. May return early. `stay_awake()` is asked once everybody
/// can see that this rank is about to sleep.
template <class StayAwake>
void sleep(Bell& bell, std::uint32_t seen, Deadline deadline, StayAwake stay_awake) noexcept {
  // In one order with ring(): either it finds this rank asleep, or we find its event.
  bell.asleep.store(1, std::memory_order_seq_cst);
  if (bell.events.load(std::memory_order_seq_cst) == seen && !stay_awake()) block(bell, deadline);
  bell.asleep.store(0, std::memory_order_relaxed);
}

}  // namespace rankscope::shm
