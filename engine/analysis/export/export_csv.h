// A trace as a table: for spreadsheets.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// RFC 4180: a line of column names, then one line an event, in order. No contents.
void export_csv(const Trace& trace, std::ostream& out);
/// Of a part of a run, which has `before` events before it: the first one's with the names.
void export_csv(const Trace& part, std::ostream& out, std::uint64_t before);

}  // namespace rankscope
