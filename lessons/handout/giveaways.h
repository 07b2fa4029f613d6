// Finds texts that contain the answer to a formula question of their lesson or course.
#pragma once

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

/// Returns whether $RANKSCOPE_LESSONS, which is read once, names a student's copy whose answers are kept back: closed forms of
/// collectives, and measurements of ours, would be answers.
bool keeps_answers();
/// Returns whether the listing of this algorithm would also be an answer, as that of every program that the copy does not show.
bool keeps_listing(std::string_view algorithm);

/// The formula questions of a course, except those whose answer has only a few signs: texts contain such formulas anyway.
class AskedFormulas {
 public:
  struct Giveaway {
    std::string item;        ///< "tree-allreduce/partner"
    std::string_view piece;  ///< Of the text.
  };
  AskedFormulas(const Course& course, const LessonLibrary& library);
  ~AskedFormulas();
  /// Returns the questions, except `own`, whose answer the text contains in any notation.
  std::vector<Giveaway> given_away_in(std::string_view text, const Question* own = nullptr) const;

 private:
  struct Asked;
  std::vector<Asked> asked_;
};

/// Complains about texts in the course's lessons that contain the answer to one of its formula questions: pages without their
/// notes, captions, other questions, and exercises with their rules.
void check_course_texts(const Course& course, const LessonLibrary& library, Complaints& complaints);

}  // namespace rankscope
