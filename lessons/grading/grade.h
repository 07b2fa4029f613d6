// Judges an answer: its points, and the words for the student.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "lessons/kinds/kind.h"

namespace rankscope {

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
/// The words for an answer that cannot be judged in a student's copy.
inline constexpr std::string_view kKeptForLecturer = "Kept, graded by your lecturer.";

/// Returns the question's numbers for a seed (0: as printed). Different questions draw different numbers.
Variant variant_of(const Question& question, std::uint64_t seed);

/// Returns an answer as its kind keeps it: QuestionKind::parse reads a text, all else stays. Throws UserError for a
/// text that cannot be read.
nlohmann::json read_answer(const Question& question, const Variant& variant,
                           const nlohmann::json& answer);

/// Returns why an answer cannot be read; empty if it can, or if there is none.
std::string fault_in_form(const Question& question, const Variant& variant,
                          const nlohmann::json& answer);

/// Returns the right answer as a person types it; empty if there is none (a written answer, a student's copy). Throws
/// UserError if it cannot be computed.
std::string right_answer(const Question& question, const Variant& variant, LessonRuns& runs);

/// Judges an answer, and never throws because of it. Throws UserError for a lesson's fault, which check_lesson finds: a
/// key that cannot be computed or is not judged right.
Verdict grade(const Question& question, const Variant& variant, const nlohmann::json& answer,
              LessonRuns& runs);
/// The same with a key that was computed before: for the answers of many students.
Verdict grade(const Question& question, const Variant& variant, const nlohmann::json& key,
              const nlohmann::json& answer, LessonRuns& runs);

}  // namespace rankscope
