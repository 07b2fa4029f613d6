// The ranks' buffers at a moment, as numbers.
#pragma once

#include <cstddef>
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

/// Each rank at its own moment (see Document::cursors()). The trace's checkpoints make it fast, but not so
/// fast that it may be done in a frame when there are very many events.
BufferValues buffer_values(const Document& document, const std::vector<Cursor>& cursors);

/// Returns why a trace has no values at any moment, and what to do; empty if it has.
std::string why_no_values(const Trace& trace);

/// Returns the array of a program's own that most ranks have, or the first of several ("" without any); nothing for a run of
/// ours.
std::optional<std::string> own_buffer(const Trace& trace);

}  // namespace rankscope::gui
