// Judges an answer: its points, and the words for the student.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "lessons/kinds/kind.h"

namespace rankscope {

/// The verdict on an answer.
struct Verdict {
  enum class State {
    right,
    partly,
    wrong,
    unanswered,
    malformed,   ///< Not of the form asked for: 0 points, and `says` names the form.
    by_hand,     ///< A TA marks it by the rubric.
    not_graded,  ///< No key here (a student's copy), or a coding exercise.
  };
  State state = State::unanswered;
  double points = 0, most = 0;
  std::string says;           ///< One or several lines for the student.
  std::string misconception;  ///< Its id, where one was recognised.
  std::string why = {};  ///< The explanation, where the answer itself opened it (a student's copy).
};
std::string_view to_string(Verdict::State state) noexcept;
/// The verdict on an answer in a student's copy that cannot be judged there.
inline constexpr std::string_view kKeptForLecturer = "Kept, graded by your lecturer.";

/// The question's numbers for a seed (0: as printed). Different questions draw different numbers.
Variant variant_of(const Question& question, std::uint64_t seed);

/// Returns an answer as its kind keeps it: QuestionKind::parse reads a text, anything else stays. The application, the
/// terminal and files all ask here. Throws UserError for a text that cannot be read.
nlohmann::json read_answer(const Question& question, const Variant& variant,
                           const nlohmann::json& answer);

/// The right answer as a person types it; empty where there is none (a written answer, a student's copy).
/// Throws UserError where it cannot be computed.
std::string right_answer(const Question& question, const Variant& variant, LessonRuns& runs);

/// Judges an answer, and never throws for one. Throws UserError for a question whose key cannot be computed, or cannot be
/// judged itself: a lesson's fault, which check_lesson finds.
Verdict grade(const Question& question, const Variant& variant, const nlohmann::json& answer,
              LessonRuns& runs);
/// The same with a key that was computed before: for the answers of many students.
Verdict grade(const Question& question, const Variant& variant, const nlohmann::json& key,
              const nlohmann::json& answer, LessonRuns& runs);

}  // namespace rankscope
