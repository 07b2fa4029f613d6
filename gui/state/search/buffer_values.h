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
  std::vector<std::string> names;  ///< Of the buffers.
};

/// Each rank at its own moment (see Document::cursors()). The trace's checkpoints make it fast, but not so
/// fast that it may be done in a frame when there are very many events.
BufferValues buffer_values(const Document& document, const std::vector<Cursor>& cursors);

/// Why a trace tells no values at any moment, and what to do; empty: it does.
std::string why_no_values(const Trace& trace);

/// Of a program that names its arrays itself, the one that most ranks have, of several the first ("": there are
/// none). Nothing: the run is one of ours.
std::optional<std::string> own_buffer(const Trace& trace);

}  // namespace rankscope::gui
