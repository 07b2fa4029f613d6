// Ranks that wait for a message because loops make different numbers of turns.
#pragma once

#include "engine/analysis/findings/trace_operations.h"

namespace rankscope::finder {

/// Explains a receive of C++, in a loop over ranks, that waits for one message more than an ended rank has sent.
bool explain_count(const TraceOperations& facts, const Operation& one, Finding& found);
/// Explains a receive of C++ from any rank by the loop in which others deal out what it counts: it leaves some out.
void explain_left_out(const TraceOperations& facts, const Operation& one, Finding& found);
/// Explains a rank that waits inside a loop for one more exchange with a rank that has left the loop.
bool explain_left_loop(const TraceOperations& facts, const Operation& one, Finding& found);

}  // namespace rankscope::finder
