// Checks a lesson's texts: they give no answer away, and speak of every picture that they show.
#pragma once

#include "lessons/lesson/lesson.h"

namespace rankscope {

class LessonRuns;

/// Complains where a page says the answer of its own question, or a contract the formula that a question asks for, where a
/// page shows a picture that its text never mentions, and about a bug question that knows no wrong line.
void check_texts(const Lesson& lesson, LessonRuns& runs, Complaints& complaints);

}  // namespace rankscope
