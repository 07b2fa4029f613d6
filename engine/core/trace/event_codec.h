// Events in columns: how a block of the trace file stores them.
#pragma once

#include <cstddef>
#include <span>

#include "engine/core/trace/event.h"

namespace rankscope {

/// Events per call at most: a column of this many values stays in the first-level cache.
inline constexpr std::size_t kCodecEvents = 2048;

/// Appends up to kCodecEvents events (of one rank, for a good ratio) as columns: fields that are
/// the same in all events cost nothing, times and numbers are stored as differences, and the bytes
/// of the others lie in planes, which a general compressor then shrinks well. Lossless for any
/// values.
void encode_events(std::span<const StepEvent> events, ByteWriter& out);
/// Fills `events`, whose size must be the one that was encoded. Throws FormatError.
void decode_events(ByteReader& in, std::span<StepEvent> events);

}  // namespace rankscope
