// Checks a lesson that was read: its runs, keys, stored answers, texts and exercises.
#pragma once

#include "lessons/course/read_lesson.h"

namespace rankscope {

class LessonRuns;

/// Complains about keys that cannot be computed or are not graded right, runs that fail, stored answers with other points,
/// runs that are seen before their question, and all that check_texts and check_coding find. A question is checked with
/// all numbers that it may draw, or, if these are over 300, with those of fifty seeds.
void check_lesson(const Lesson& lesson, LessonRuns& runs, Complaints& complaints);

}  // namespace rankscope
