// What a step really sent, counted line by line in its trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/trace/trace.h"
#include "engine/training/parallel/parallel_form.h"

namespace rankscope::training {

struct LineCount {
  std::vector<std::uint64_t> bytes, messages;  ///< Sent, by rank.
  std::uint64_t busiest() const noexcept;      ///< Bytes of the rank that sent most.
};

/// In the order of the lines; then one more: what was sent outside of all of them. A message counts where its send was
/// posted, in the phase that has a line's name, or within it.
std::vector<LineCount> count_lines(const Trace& trace, std::span<const CommunicationLine> lines);

}  // namespace rankscope::training
