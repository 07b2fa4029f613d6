// The ranks' buffers at a moment, as numbers.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gui/state/run/document.h"

namespace rankscope::gui {

struct BufferValues {
  struct Figures {
    double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0;
    Count known = 0, not_finite = 0;
    Count finite() const noexcept { return known - not_finite; }
  };
  struct Row {
    Rank rank = -1;
    Definition buffer;
    BufferState now;
    Figures figures;
    /// "·" for a sample whose value was never seen.
    std::string text(Count sample) const;
  };
  std::vector<Row> rows;           ///< By rank.
  std::vector<std::string> names;  ///< The names of the buffers.
};

/// Returns each rank's buffers at its own cursor (see Document::cursors()). Too slow for a frame with very many events.
BufferValues buffer_values(const Document& document, const std::vector<Cursor>& cursors);

/// Returns why a trace has no values at any moment, and what to do; empty if it has.
std::string why_no_values(const Trace& trace);

/// Returns the name of the program's array that most ranks have, the first of several, or ""; nothing for a run of an algorithm.
std::optional<std::string> own_buffer(const Trace& trace);

}  // namespace rankscope::gui
