// What a lesson's texts owe the reader.
#pragma once

#include "lessons/lesson/lesson.h"

namespace rankscope {

class LessonRuns;

/// Complains where a page says the answer of its own question, or a contract the formula that a question asks for, where a page shows a run before the question about it, or shows a
/// picture that its text never speaks of, and about a bug question that knows no wrong line.
void check_texts(const Lesson& lesson, LessonRuns& runs, Complaints& complaints);
/// Its part about runs: whether one is seen before the question about it, or stands open below it.
void check_locks(const Lesson& lesson, LessonRuns& runs, Complaints& complaints);

}  // namespace rankscope
