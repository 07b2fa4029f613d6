// The end of a run of a student's program, apart from its results.
#pragma once

#include <optional>
#include <string>

#include "engine/explore/explore.h"
#include "lessons/coding/boxes.h"
#include "lessons/coding/cases.h"
#include "lessons/grading/coding_grade.h"

namespace rankscope {

CaseRun::Status status_of(const CodeRun& run);
/// Says what ended a run that did not end well: the boxes, ranks that waited for each other, or the program's own error.
std::string failure_of(const CodeRun& run);
/// Gives the run the outcome that people read: of ranks that wait for one that raised an error, only the error counts.
void tell_first_error(const CodeRun& run, TraceMeta& meta);
Cause cause_of(const CodeRun& run);
/// The event at which a run stood that did not end well: the one that made it wait for ever, else the last one of the rank
/// with the error in its own code. kNoEvent if there is none.
std::uint64_t stopped_at(const CodeRun& run);
/// Returns whether one small mistake may have ended the run: the ranks wait for each other, or a call was refused.
bool may_be_slip(const CodeRun& run);
/// The class of the error that ended a run ("ValueError"); empty if none is named.
std::string error_class_of(const CodeRun& run);
/// The rank that came first where a rank received from anybody and another could have come; nothing if there was no such
/// receive.
std::optional<Rank> came_first(const CodeRun& run);
/// The wanted delay of each of a rank's verbs, or less, so that the delays do not use up the time of a run.
double delay_us(const CodeRun& run, Rank rank, double wanted_us, double timeout_s);

/// Returns the failure of a run, without a look at its messages; none when it ended well and handed in what is right.
explore::RunFailure failure_in(const CodingExercise& exercise, const CodeCase& one,
                               const CodeRun& run);

/// "; rank 1 never waits for ...": data that nobody waits for may come too late, and numbers be wrong; else empty. Receives
/// come first, as an unwaited send does harm only if its memory is written before it has gone.
std::string unwaited(const CodeRun& run);

}  // namespace rankscope
