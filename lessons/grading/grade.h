// What an answer is worth, and what is said about it.
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
    malformed,   ///< Not of the form asked for: 0 points, and `says` tells what is.
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
/// Of an answer in a student's copy that cannot be judged there.
inline constexpr std::string_view kKeptForLecturer = "Kept, graded by your lecturer.";

/// The question's numbers for a seed (0: as printed). Different questions draw different numbers.
Variant variant_of(const Question& question, std::uint64_t seed);

/// An answer as its kind keeps it: a text is read as `QuestionKind::parse` reads what was typed, everything
/// else stays. The one place where that is decided, for the application, the terminal and files. Throws
/// UserError for a text that cannot be read.
nlohmann::json read_answer(const Question& question, const Variant& variant,
                           const nlohmann::json& answer);

/// The right answer as a person types it; empty where there is none (a written answer, a student's copy).
/// Throws UserError where it cannot be computed.
std::string right_answer(const Question& question, const Variant& variant, LessonRuns& runs);

/// Never throws for an answer, whatever it is; throws UserError for a question whose key cannot be
/// computed, or cannot be judged itself (a lesson's fault: `check_lesson` finds those).
Verdict grade(const Question& question, const Variant& variant, const nlohmann::json& answer,
              LessonRuns& runs);
/// The same with a key that was computed before: for the answers of many students.
Verdict grade(const Question& question, const Variant& variant, const nlohmann::json& key,
              const nlohmann::json& answer, LessonRuns& runs);

}  // namespace rankscope
