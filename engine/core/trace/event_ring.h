// Memory in which a worker leaves its events for the conductor: no message, no system call, and what lies there
// outlives the worker.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/trace/event.h"

namespace rankscope {

/// A stream of bytes from one process to another, in shared memory that was zero.
struct EventRing {
  static constexpr std::size_t kBytes = std::size_t{1} << 18;

  std::atomic<std::uint64_t> written{0};  ///< Bytes since the beginning.
  alignas(64) std::atomic<std::uint64_t> taken{0};
  alignas(64) std::array<std::byte, kBytes> data;
};

class EventRingWriter {
 public:
  explicit EventRingWriter(EventRing& ring) noexcept : ring_(ring), written_(ring.written) {}
  /// Writes what there is room for, and says how much that was.
  std::size_t write(std::span<const std::byte> data) noexcept;

 private:
  EventRing& ring_;
  std::uint64_t written_;
};

/// The first bytes of encode(batch). Then come its events as they are, the number of bytes of its blobs (8 bytes), and
/// those: for who writes them without a copy.
Bytes encode_head(const EventBatch& batch);

/// Reads records: a length of 8 bytes, then so many. Their writer is not trusted.
class EventRingReader {
 public:
  explicit EventRingReader(EventRing& ring) noexcept : ring_(&ring) {}
  /// The next record, which stays until the next call; empty while there is no whole one. Throws FormatError when no
  /// writer of ours can have left what is there; then it is read no further.
  std::span<const std::byte> next();

 private:
  std::uint64_t available();
  void take(std::size_t bytes) noexcept;
  void copy_out(std::span<std::byte> to) noexcept;
  [[noreturn]] void give_up(const char* why);

  EventRing* ring_;
  std::uint64_t taken_ = 0;
  std::size_t shown_ = 0;      ///< Bytes of the record in the ring that next() gave out.
  std::uint64_t missing_ = 0;  ///< Of `record_`.
  Bytes record_;               ///< One that did not lie in one piece.
  bool damaged_ = false;
};

}  // namespace rankscope
