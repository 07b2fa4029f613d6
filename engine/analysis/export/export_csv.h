// A trace as a table: for spreadsheets.
#pragma once

#include <iosfwd>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// RFC 4180: a line of column names, then one line an event, in order. No contents.
void export_csv(const Trace& trace, std::ostream& out);

}  // namespace rankscope
