// Layout of the trace file, shared by its writer and its reader.
//
// A file is a sequence of blocks, each a BlockHeader and `stored_size` bytes. The first block is a
// meta block (what is known when the job starts), then come events; a file that was closed has a
// second meta block and an end block. Numbers are little-endian.
//
//   meta    JSON text
//   events  u32 definitions | the definitions that this block's events use
//           u32 runs | per run: u32 events, columns (event_codec.h); events of a rank are in order
//           u64 bytes | the contents area that the events' previews point into
//   end     u64 events in the file; in a file of very many events a summary is appended
//           (trace_summary.h), in a skippable zstd frame, which other readers ignore:
//           u32 frame magic, u32 bytes | u64 kSummaryMagic, u64 raw bytes, zstd
//
// A reader in another language needs only zstd and XXH3-64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/core/base/bytes.h"
#include "engine/core/trace/trace.h"

namespace rankscope::trace_format {

/// Contains a line end, which reveals a file that was copied as text.
inline constexpr std::uint64_t kMagic = 0x0A0D4B4C42534B52;  // "RKSBLK\r\n"
inline constexpr std::uint16_t kVersion = 1;

enum class Type : std::uint8_t { meta = 1, events = 2, end = 3 };
enum class Codec : std::uint8_t { none = 0, zstd = 1 };

struct BlockHeader {
  std::uint64_t magic = kMagic;
  std::uint16_t version = kVersion;
  Type type = Type::meta;
  Codec codec = Codec::none;
  std::uint32_t index = 0;         ///< Number of the block in the file.
  std::uint32_t events = 0;        ///< In this block.
  std::uint32_t header_check = 0;  ///< Low half of the XXH3 of this header with a 0 here.
  std::uint64_t first_event = 0;   ///< Number of events in the blocks before.
  std::uint64_t raw_size = 0;
  std::uint64_t stored_size = 0;
  std::int64_t min_time_ns = 0, max_time_ns = 0;  ///< Raw times.
  std::uint64_t checksum = 0;                     ///< XXH3 of the stored bytes.
};
static_assert(sizeof(BlockHeader) == 72, "a file format");

// Bounds that a reader relies on, so that a crafted file cannot make it take much memory: the
// writer pads its blocks with a skippable zstd frame where real data compresses better than that.
inline constexpr std::uint64_t kMostRawSize = std::uint64_t{256} << 20;
inline constexpr std::uint32_t kMostEvents = 1U << 20;
inline constexpr std::uint64_t kMostEventsPerByte = 4;
inline constexpr std::uint64_t kMostExpansion = 512;
inline constexpr std::uint64_t kFreeExpansion = std::uint64_t{1} << 20;

std::uint32_t header_check(BlockHeader header) noexcept;
std::uint64_t checksum(std::span<const std::byte> data) noexcept;
bool has_valid_sizes(const BlockHeader& header) noexcept;

/// Returns the block, ready to be appended. Fills in sizes, codec and checks of `header`.
Bytes seal(BlockHeader header, std::span<const std::byte> raw);
/// Returns the raw bytes. Throws FormatError.
Bytes unseal(const BlockHeader& header, std::span<const std::byte> stored);

inline constexpr std::uint64_t kSummaryMagic = 0x314D555353424B52;  // "RKBSSUM1"
/// Returns the end block of a file with a summary.
Bytes seal_end(BlockHeader header, std::uint64_t events, std::span<const std::byte> summary);
/// Returns the summary in an end block's stored bytes; empty if it has none, or none of ours. Verifies the checksum,
/// but not what the summary says.
Bytes summary_in_end(const BlockHeader& header, std::span<const std::byte> stored);

std::string meta_to_json(const TraceMeta& meta);
/// Throws FormatError.
TraceMeta meta_from_json(std::string_view text);

}  // namespace rankscope::trace_format
