// Checks a lesson that was read: its runs, keys, stored answers, texts and exercises.
#pragma once

#include <filesystem>
#include <string>

#include "engine/toml/complaints.h"
#include "lessons/course/read_lesson.h"
#include "lessons/lesson/coding.h"

namespace rankscope {

class LessonRuns;

/// Complains about keys that cannot be computed or are not graded right, runs that fail, stored answers with other points,
/// runs that are seen before their question, and all that check_texts and check_coding find. A question is checked with
/// all numbers that it may draw, or, if these are over 300, with those of fifty seeds.
void check_lesson(const Lesson& lesson, LessonRuns& runs, Complaints& complaints);

/// Complains about formulas that fail for a world or shape, points that do not add up, a harness that lacks what it needs,
/// a starter without the function and, in lessons from edition 2 on, a missing defining rule.
void check_coding(const CodingExercise& exercise, const std::filesystem::path& folder,
                  const std::string& file, Complaints& complaints, int edition = 2);

}  // namespace rankscope
