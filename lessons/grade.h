// What an answer is worth, and what is said about it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "lessons/kind.h"

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
};
std::string_view to_string(Verdict::State state) noexcept;

/// The question's numbers for a seed (0: as printed). Different questions draw different numbers.
Variant variant_of(const Question& question, std::uint64_t seed);

/// Never throws for an answer, whatever it is; throws UserError for a question whose key cannot be
/// computed (a lesson's fault: `check_lesson` finds those).
Verdict grade(const Question& question, const Variant& variant, const nlohmann::json& answer,
              RunBook& runs);

/// Goes through everything that reading the files cannot see: keys, runs, figures, stored answers.
void check_lesson(const Lesson& lesson, RunBook& runs, Complaints& complaints);

}  // namespace rankscope
