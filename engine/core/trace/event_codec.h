// Encodes events in columns, as a block of the trace file stores them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/core/trace/event.h"

namespace rankscope {

/// The most events per call: a column of this many values stays in the first-level cache.
inline constexpr std::size_t kCodecEvents = 2048;

/// Appends up to kCodecEvents events (of one rank, for a good ratio) as columns: fields that are the same in all events
/// cost nothing, times and numbers are stored as differences, and the bytes of the other fields lie in planes, which a
/// general compressor then shrinks well. Lossless for any values.
void encode_events(std::span<const StepEvent> events, ByteWriter& out);
/// Fills `events`, whose size must equal the encoded one. Throws FormatError.
void decode_events(ByteReader& in, std::span<StepEvent> events);

/// A summary of consecutive events of one rank: the facts that sums need.
struct EventDigest {
  struct Sent {
    std::int64_t time_ns = 0;
    std::uint64_t bytes = 0;
    Rank peer = -1;
  };
  Rank rank = -1;
  std::uint32_t events = 0;
  std::int64_t min_ns = 0, max_ns = 0;
  std::vector<Sent> sent;  ///< The posted messages.
};
/// Reads only the columns that the digest needs, in a third of the time. Throws FormatError if decode_events() does,
/// and if is_sound() is false.
EventDigest decode_digest(ByteReader& in, std::size_t events);
/// Returns whether the events are of one rank and their fields have valid values.
bool is_sound(std::span<const StepEvent> events) noexcept;

}  // namespace rankscope
