// Looks at the memory of messages with the program's address sanitizer, if it has one, before a call takes locks: what it
// finds inside of one ends the process where its reason cannot be reported.
#pragma once

#include "engine/capi/rankscope.h"

namespace rankscope::capi {

/// Ends the process with the sanitizer's report if the memory of these, or of a request that is open, is not the
/// program's any more. Either may be null.
void check_memory(const rs_memory* read, const rs_memory* written) noexcept;
/// A request uses memory from now on until close_memory().
void open_memory(const rs_request* request, const rs_memory& memory, bool written);
void close_memory(const rs_request* request) noexcept;

}  // namespace rankscope::capi
