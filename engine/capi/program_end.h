// Reports how a program in C or C++ ends as its rank's error: an uncaught exception, a signal, exit().
#pragma once

#include <string>

#include "engine/capi/rankscope.h"

namespace rankscope::capi {

/// See rs_report_end().
void report_end_of(rs_session* session);
/// Returns whether the caller is to leave the session: its end has not been reported already.
bool take_over_end(const rs_session* session) noexcept;
/// Ends what watched a session that has been left.
void has_left(const rs_session* session) noexcept;
/// Returns the exception that this thread threw last: its type, its text and its lines. Empty if it threw none since its
/// end is reported.
std::string last_exception();
/// Notes, for a rank of a run that ends well, the exception that its program caught last: calls may have been skipped.
void note_caught(const rs_session& session);
void note_undefined_behaviour(const char* words);
void note_failed_check(const char* condition);

}  // namespace rankscope::capi
