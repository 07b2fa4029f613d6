// Checks the memory of messages with the program's address sanitizer, if it has one, before a call takes locks: an error
// found while they are held would end the process before its reason is reported.
#pragma once

#include <string>

#include "engine/capi/rankscope.h"
#include "engine/core/base/error.h"

namespace rankscope::capi {

/// Ends the process with the sanitizer's report if the memory of these, or of a request that is open, is not the
/// program's any more. Either may be null.
void check_memory(const rs_memory* read, const rs_memory* written) noexcept;
/// Registers the memory that a request, begun at `where`, uses until close_memory().
void open_memory(const rs_request* request, const rs_memory& memory, bool written,
                 const CallSite& where);
void close_memory(const rs_request* request) noexcept;
/// "the array of the request that begins at ring.cpp:9 is gone before its wait", if that is what check_memory() reports.
std::string words_of_lost_array();

}  // namespace rankscope::capi
