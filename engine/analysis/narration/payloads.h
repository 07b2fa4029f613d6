// The values of messages: they show where a program's own code adds, which no event does.
#pragma once

#include <optional>
#include <vector>

#include "engine/analysis/trace_analysis.h"

namespace rankscope::narration {

class Payloads {
 public:
  explicit Payloads(const TraceAnalysis& analysis) : analysis_(analysis) {}

  enum class Likeness : std::uint8_t {
    unknown,
    same,   ///< It is what its sender received last.
    added,  ///< It is that, added to what lay in the same memory before.
  };
  /// `received`: what the sender of `sent` received last. Unknown, too, where the values would fit both ways.
  Likeness compare(std::uint32_t sent, std::uint32_t received) const;

 private:
  using Values = std::vector<double>;
  /// Bytes of a watched buffer of which all values are known at a moment of its rank.
  std::optional<Values> memory(std::uint32_t buffer, std::uint64_t offset, std::uint64_t bytes,
                               Cursor cursor) const;

  const TraceAnalysis analysis_;
};

}  // namespace rankscope::narration
