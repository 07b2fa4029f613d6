// Makes a lecture of a lesson: its runs, figures and questions as scenes of the application.
#pragma once

#include "lessons/lesson/lesson.h"
#include "lessons/slides/lecture_file.h"

namespace rankscope {

/// Returns a scene for each run and figure of a run, and for each question that has no scene to stand in. Questions stand before the
/// first step of the run beside them; the lecturer's notes, the whole question and its explanation are the scene's notes.
/// Throws UserError if no run can be shown without a question's numbers.
Lecture lecture_of(const Lesson& lesson);

}  // namespace rankscope
