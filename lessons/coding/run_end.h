// How a run of a student's program ended, before anybody looks at its results.
#pragma once

#include <optional>
#include <string>

#include "lessons/coding/boxes.h"
#include "lessons/coding/cases.h"
#include "lessons/grading/coding_grade.h"

namespace rankscope {

CaseRun::Status status_of(const CodeRun& run);
/// What ended a run that did not end well: the boxes, the ranks that waited for each other, the program's own
/// error.
std::string failure_of(const CodeRun& run);
Cause cause_of(const CodeRun& run);
/// Where a run stood that did not end well: at what made it wait for ever, else at the last thing that the rank with the
/// error did in its own code. kNoEvent: nowhere.
std::uint64_t stopped_at(const CodeRun& run);
/// Whether what ended the run may be one small mistake: the ranks wait for each other, or a call was refused.
bool may_be_slip(const CodeRun& run);
/// Of a run that failed: the class of the error that ended it ("ValueError"); empty: none is named.
std::string error_class_of(const CodeRun& run);
/// Who came first where a rank received from anybody, and another one could have; nothing: nowhere.
std::optional<Rank> came_first(const CodeRun& run);
/// The delay of each of a rank's verbs that is wanted, or less, so that what we add ourselves does not use up the time of
/// a run.
double delay_us(const CodeRun& run, Rank rank, double wanted_us, double timeout_s);

/// What is wrong with a run, without a look at its messages.
struct RunFailure {
  CaseRun::Status status = CaseRun::Status::ended;
  bool wrong_result = false;
  /// As explorations count failures: "deadlock", "wrong result", "failed: ValueError"; empty when the run ended well and
  /// handed in what is right.
  std::string kind;
  std::string words;  ///< What happened.
};
RunFailure failure_in(const CodingExercise& exercise, const CodeCase& one, const CodeRun& run);

/// "; rank 1 never waits for ...": why numbers may be wrong, as data that nobody waits for may come too late; else empty. An
/// unwaited send does harm only where its memory is written before it has gone, so a receive is named first.
std::string unwaited(const CodeRun& run);

}  // namespace rankscope
