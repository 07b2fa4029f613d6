// The table of a question's values.
#include "gui/state/lesson/question_values.h"

#include <array>

#include <fmt/format.h>

#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "gui/state/lesson/lesson_state.h"

namespace rankscope::gui {
namespace {

/// "grading.EXERCISE": none, running, stopped, failed or graded; "grade.EXERCISE": "4.5 of 6"; "fault.EXERCISE":
/// what breaks the first rule that is broken, or why there is no grade.
std::string grade_of(const LessonState& l, const std::string& exercise) {
  const CodeState* code_state = l.program(exercise);
  if (code_state == nullptr || code_state->state != CodeState::State::graded) return "";
  return fmt::format("{} of {}", code_state->points, code_state->most);
}
std::string fault_of(const LessonState& l, const std::string& exercise) {
  const CodeState* code_state = l.program(exercise);
  if (code_state == nullptr) return "";
  if (code_state->state == CodeState::State::failed) return code_state->problem;
  if (!code_state->capped.empty()) return code_state->capped;
  for (const auto& rule : code_state->rules)
    if (!rule.says.empty()) return rule.says;
  return "";
}

/// "verdict.QUESTION" ...: of a question of the open lesson, whether it was answered or not.
struct QuestionValue {
  std::string_view key;
  std::string (*of)(const LessonState& lesson, const std::string& question);
};
constexpr std::array kQuestionValues{
    QuestionValue{"verdict",
                  [](const LessonState& l, const std::string& q) {
                    return std::string(to_string(l.progress.of(q).state));
                  }},
    QuestionValue{"says",
                  [](const LessonState& l, const std::string& q) { return l.progress.of(q).says; }},
    QuestionValue{"points",
                  [](const LessonState& l, const std::string& q) {
                    return fmt::to_string(l.progress.of(q).points);
                  }},
    QuestionValue{"program",
                  [](const LessonState& l, const std::string& e) {
                    const CodeState* code_state = l.program(e);
                    return code_state == nullptr ? std::string() : code_state->file;
                  }},
    QuestionValue{"grading",
                  [](const LessonState& l, const std::string& e) {
                    const CodeState* code_state = l.program(e);
                    return std::string(to_string(code_state == nullptr ? CodeState::State::none
                                                                       : code_state->state));
                  }},
    QuestionValue{"grade", grade_of},
    QuestionValue{"fault", fault_of},
    QuestionValue{"hints",
                  [](const LessonState& l, const std::string& q) {
                    return fmt::to_string(l.progress.of(q).hints);
                  }},
    QuestionValue{"attempts",
                  [](const LessonState& l, const std::string& q) {
                    return fmt::to_string(l.progress.of(q).attempts);
                  }},
    QuestionValue{"draft",
                  [](const LessonState& l, const std::string& q) {
                    const auto* question_state = l.question_state(q);
                    return question_state == nullptr ? std::string()
                           : question_state->draft.is_string()
                               ? question_state->draft.get<std::string>()
                               : dump_json(question_state->draft);
                  }},
    QuestionValue{"solution",
                  [](const LessonState& l, const std::string& q) {
                    const auto* question_state = l.question_state(q);
                    return question_state == nullptr ? std::string() : question_state->solution;
                  }},
};

}  // namespace

std::optional<std::string> question_value(const LessonState& lesson, std::string_view key,
                                          const std::string& question) {
  const auto found = ranges::find(kQuestionValues, key, &QuestionValue::key);
  if (found == kQuestionValues.end()) return std::nullopt;
  return found->of(lesson, question);
}

}  // namespace rankscope::gui
