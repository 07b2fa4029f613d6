// One direction between two ranks: frames in the order of sending, through rings in the sender's arena that grow if the
// receiver is behind. One thread writes and one reads; a frame exists once `written` covers it, so that a sender that
// dies in the middle of one leaves nothing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/core/message/link.h"
#include "transports/shm/shm_memory.h"

namespace rankscope::shm {

/// Marks a queued frame whose payload lies in a shared slot; the header's `secret` is its ticket.
inline constexpr std::uint16_t kPlaced = 0x8000;

class QueueWriter {
 public:
  QueueWriter(QueueHead& head, Arena& arena) : head_(&head), arena_(&arena) {}
  /// Copies the payload into the queue; returns false if the arena has no room.
  bool write(const FrameHeader& header, std::span<const std::byte> payload);

 private:
  std::byte* room(std::size_t bytes);
  bool grow(std::size_t bytes);
  void collect();

  QueueHead* head_;
  Arena* arena_;
  Segment* segment_ = nullptr;
  std::uint64_t capacity_ = 0, written_ = 0;
  std::vector<Segment*> left_;  ///< Earlier segments that the reader has not left yet.
};

class QueueReader {
 public:
  QueueReader(QueueHead& head, const Memory& memory, Rank from)
      : head_(&head), memory_(&memory), from_(from) {}
  enum class Found { nothing, frame, garbage };
  /// Returns the next frame; its payload is copied unless it is placed. Stops reading after an invalid frame, because
  /// its writer's lengths cannot be trusted.
  Found read(Frame& frame);
  /// Stops reading, because a frame turned out to be invalid.
  void refuse() noexcept { broken_ = true; }

 private:
  bool enter(std::uint64_t offset);
  Found garbage() noexcept {
    refuse();
    return Found::garbage;
  }

  QueueHead* head_;
  const Memory* memory_;
  const Rank from_;
  Segment* segment_ = nullptr;
  const std::byte* data_ = nullptr;
  std::uint64_t capacity_ = 0, read_ = 0, seen_ = 0;
  bool broken_ = false;
};

}  // namespace rankscope::shm
