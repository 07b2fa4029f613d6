// Texts that tell the answer to a formula question of their lesson or course.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/collective.h"
#include "engine/toml/complaints.h"
#include "lessons/course/course.h"
#include "lessons/lesson/lesson.h"

namespace rankscope {

/// Returns the first piece of the text that means what a formula question asks for, such as "n − 2^(i−1)"; empty if there is
/// none. A view of `text`.
std::string_view formula_given_away(std::string_view text, const Question& question);

/// Returns the text with "…" in place of each such piece, for the formula questions of its lesson.
std::string without_asked_formulas(std::string text, const Lesson& lesson);

/// Returns a limit of a rule in N alone as a table over these world sizes, if a question asks for its formula.
std::string without_asked_limit(const std::string& limit, const std::vector<int>& worlds,
                                const Lesson& lesson);

/// Returns the collectives that a student's copy runs or asks to be programmed while its answers are kept back: a listing or
/// closed form of theirs would be an answer. Empty without $RANKSCOPE_LESSONS, which is read once.
const std::set<Collective>& kept_collectives();

/// Complains where a lesson of the course says what one of its formula questions asks for: pages without their notes, captions,
/// other questions, and exercises with their rules. Formulas of a few signs stand in texts for many reasons, and count as nothing.
void check_course_texts(const Course& course, const LessonLibrary& library, Complaints& complaints);

}  // namespace rankscope
