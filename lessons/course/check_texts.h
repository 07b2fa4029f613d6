// Checks a lesson's texts: they give no answer away, and speak of every picture that they show.
#pragma once

#include "lessons/lesson/lesson.h"

namespace rankscope {

class LessonRuns;

/// Complains about pages that say the answer of their own question, contracts with a formula that a question asks for,
/// pictures that no text beside them mentions, and bug questions without a misconception.
void check_texts(const Lesson& lesson, LessonRuns& runs, Complaints& complaints);

}  // namespace rankscope
