// The file behind a StreamedTrace, shared by everything made from it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/trace/streamed_trace.h"
#include "engine/core/trace/summary_cache.h"
#include "engine/core/trace/trace_blocks.h"

namespace rankscope {

/// Sums that wrap instead of overflowing, because clocks of a damaged file may hold any value.
inline std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

struct StreamedTrace::File {
  explicit File(const std::filesystem::path& path) : in(path), index(in) {}

  trace_blocks::Block block(std::size_t number) const {
    trace_blocks::Block block;
    block.header = event_blocks[number].header;
    block.payload = event_blocks[number].payload;
    return block;
  }
  trace_blocks::Block read(std::size_t number) const {
    trace_blocks::Block read = block(number);
    trace_blocks::decode(in, read);
    return read;
  }

  struct Place {
    trace_format::BlockHeader header;
    std::uint64_t payload = 0;
    bool accepted = true;  ///< False if, judging by its header, it repeats other blocks.
  };
  trace_blocks::InputFile in;
  trace_blocks::Index index;  ///< Its block list is released if a summary was found.
  SummaryCache::Key key;
  std::vector<Place> event_blocks;
  std::optional<Place> end;
};

}  // namespace rankscope
