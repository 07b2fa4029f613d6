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
    same,   ///< It equals the sender's last received message.
    added,  ///< It equals that, added to what lay in the same memory before.
  };
  /// Compares a message with `received`, the last one that its sender got. Unknown, too, where the values fit both ways.
  Likeness compare(std::uint32_t sent, std::uint32_t received) const;

 private:
  using Values = std::vector<double>;
  /// The values of a part of a watched buffer at a moment of its rank; nothing where some are not known.
  std::optional<Values> memory(std::uint32_t buffer, std::uint64_t offset, std::uint64_t bytes,
                               Cursor cursor) const;

  const TraceAnalysis analysis_;
};

}  // namespace rankscope::narration
