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
/// Of a run that failed: the class of the error that ended it ("ValueError"); empty: none is named.
std::string error_class_of(const CodeRun& run);
/// Who came first where a rank received from anybody, and another one could have; nothing: nowhere.
std::optional<Rank> came_first(const CodeRun& run);
/// The delay of each of a rank's verbs that is wanted, or less, so that what we add ourselves does not use up the time of
/// a run.
double delay_us(const CodeRun& run, Rank rank, double wanted_us, double timeout_s);

/// Of what kind the failure of a run is, as explorations count them ("deadlock", "wrong result", "failed: ValueError");
/// empty: the run ended well and handed in what is right. `words`: what happened.
std::string failure_kind_of(const CodingExercise& exercise, const CodeCase& one, const CodeRun& run,
                            std::string& words);

}  // namespace rankscope
