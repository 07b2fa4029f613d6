// A trace as a table: for spreadsheets.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// RFC 4180: a line of column names, then one line per event, in order. No contents.
void export_csv(const Trace& trace, std::ostream& out);
/// A part of a run with `before` events before it; the first part begins with the names of the columns.
void export_csv(const Trace& part, std::ostream& out, std::uint64_t before);

}  // namespace rankscope
