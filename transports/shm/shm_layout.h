// What lies in the memory that the ranks of one host share: a head, one desk for each rank, one queue's beginning
// for each pair of ranks, and one arena for each rank.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

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

/// A ring of bytes in the sender's arena; its memory follows. A sender that finds one full goes on in a larger one.
struct Segment {
  alignas(kLine) std::uint64_t capacity = 0;  ///< A power of two.
  alignas(kLine) std::atomic<std::uint64_t> written{0};
  alignas(kLine) std::atomic<std::uint64_t> read{0};
  alignas(kLine) std::atomic<std::uint32_t> left{0};  ///< The reader goes on in the next one.
};

struct alignas(kLine) Head {
  std::uint64_t magic = 0;
  std::uint32_t ranks = 0;
  std::uint32_t spins = 0;  ///< A rank that waits may look for a while before it sleeps.
  std::uint64_t arena_bytes = 0;
};

}  // namespace rankscope::shm
