// Shared memory in which a worker leaves its events for the conductor. It needs neither messages nor system calls, and
// its contents outlive the worker.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/trace/event.h"

namespace rankscope {

/// A stream of bytes from one process to another, in shared memory that is initially zero.
struct EventRing {
  static constexpr std::size_t kBytes = std::size_t{1} << 18;

  std::atomic<std::uint64_t> written{0};  ///< Bytes written since the beginning.
  alignas(64) std::atomic<std::uint64_t> taken{0};
  alignas(64) std::array<std::byte, kBytes> data;
};

class EventRingWriter {
 public:
  explicit EventRingWriter(EventRing& ring) noexcept : ring_(ring), written_(ring.written) {}
  /// Writes as much as there is room for, and returns that size.
  std::size_t write(std::span<const std::byte> data) noexcept;

 private:
  EventRing& ring_;
  std::uint64_t written_;
};

/// Returns the first bytes of encode(batch). They are followed by the raw events, the number of bytes of the blobs (8
/// bytes), and the blobs, so that these can be written without a copy.
Bytes encode_head(const EventBatch& batch);

/// Reads records: a length of 8 bytes, then that many bytes. The writer is not trusted.
class EventRingReader {
 public:
  explicit EventRingReader(EventRing& ring) noexcept : ring_(&ring) {}
  /// Returns the next record, valid until the next call; empty while none is complete. Throws FormatError for contents
  /// that none of our writers produces; reading then stops there.
  std::span<const std::byte> next();

 private:
  std::uint64_t available();
  void take(std::size_t bytes) noexcept;
  void copy_out(std::span<std::byte> to) noexcept;
  [[noreturn]] void give_up(const char* why);

  EventRing* ring_;
  std::uint64_t taken_ = 0;
  std::size_t shown_ = 0;      ///< Bytes of the record in the ring that next() gave out.
  std::uint64_t missing_ = 0;  ///< Bytes of `record_` still to come.
  Bytes record_;               ///< A record that did not lie in one piece.
  bool damaged_ = false;
};

}  // namespace rankscope
