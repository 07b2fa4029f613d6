// Reads an answer by its question's kind, judges it, and recognises known mistakes.
#include "lessons/grading/grade.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "lessons/grading/sealed_formula.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/text/encodings.h"

namespace rankscope {
namespace {

using nlohmann::json;

// Limits recursion through an answer.
constexpr int kMostAnswerLevels = 32;
bool too_deep(const json& answer, int levels = kMostAnswerLevels) {
  if (!answer.is_structured()) return false;
  if (levels == 0) return true;
  return ranges::any_of(answer, [&](const json& one) { return too_deep(one, levels - 1); });
}

// Returns a known mistake as an answer. A mistake need not be a complete answer; one that cannot be read as an answer is
// returned as it is written.
json known_answer(const Question& question, const Variant& variant, const json& rule,
                  LessonRuns& runs) {
  const json wrong = expand(rule, variant.values, &runs);
  try {
    return read_answer(question, variant, wrong);
  } catch (const UserError&) {
    return wrong;
  }
}

// Judges an answer by the seals of a student's copy.
Verdict grade_locally(const Question& question, const Variant& variant, const json& answer) {
  Verdict verdict;
  verdict.most = question.points;
  verdict.state = Verdict::State::malformed;
  try {
    return judge_sealed(question, variant, read_answer(question, variant, answer));
  } catch (const UserError& error) {
    verdict.says = shortened(error.what(), 500);
  }
  return verdict;
}

void recognise(const Question& question, const Variant& variant, const json& answer,
               LessonRuns& runs, Verdict& verdict) {
  for (const Misconception& known : question.misconceptions) {
    try {
      const json wrong = known_answer(question, variant, known.answer, runs);
      if (!question.kind->same(question, variant, wrong, answer, runs)) continue;
    } catch (const std::exception&) {
      continue;  // of another form; or the lesson's fault, which check_lesson reports
    }
    verdict.misconception = known.id;
    verdict.says = fill_in(known.says, variant.values);
    // A mistake never gets more than all points, even in a lesson that nobody checked.
    const double share = known.share >= 0 ? std::min(known.share, 1.0) : 0.0;
    verdict.points = std::max(verdict.points, share * question.points);
    return;
  }
}

// Throws UserError if the question's own answer is not judged right, so that no student's answer is blamed for it.
void require_fit_key(const Question& question, const Variant& variant, const json& key,
                     LessonRuns& runs) {
  if (question.kind->marked_by_hand()) return;
  std::string why = "it is not judged right";
  try {
    if (question.kind->judge(question, variant, key, key, runs).share >= 1) return;
  } catch (const std::exception& error) {
    why = error.what();
  }
  throw UserError(
      fmt::format("question {} cannot be graded, because of its own right answer {}: {}",
                  question.id, brief(key), why));
}

}  // namespace

std::string_view to_string(Verdict::State state) noexcept {
  constexpr std::array<std::string_view, 7> kNames = {
      "right",         "partly right",   "wrong",     "not answered",
      "not an answer", "marked by hand", "not graded"};
  return kNames[static_cast<std::size_t>(state)];
}

Variant variant_of(const Question& question, std::uint64_t seed) {
  // Questions of one lesson draw different numbers with one seed.
  const std::uint64_t own = seed == 0 ? 0 : (seed * 0x9e3779b97f4a7c15) ^ stable_hash(question.id);
  try {
    return {seed, draw(question.rules, own)};
  } catch (const UserError&) {
    if (!question.student_copy) throw;
  }
  throw UserError(fmt::format("the numbers of '{}' cannot be drawn: fetch the copy again",
                              question.id));  // the error quotes a closed text
}

json read_answer(const Question& question, const Variant& variant, const json& answer) {
  if (!answer.is_string() || blank(answer)) return answer;
  return question.kind->parse(question, variant, answer.get_ref<const std::string&>());
}

std::string fault_in_form(const Question& question, const Variant& variant, const json& answer) {
  if (too_deep(answer)) return "Lists within lists, too deep for an answer.";
  if (blank(answer)) return {};
  try {
    question.kind->require_form(question, variant, read_answer(question, variant, answer));
  } catch (const UserError& error) {
    return shortened(error.what(), 500);
  } catch (const std::exception&) {  // of the JSON library: a text where a table should be
    return "This is not of the form asked for.";
  }
  return {};
}

std::string right_answer(const Question& question, const Variant& variant, LessonRuns& runs) {
  if (question.kind == nullptr) return {};
  const json key = question.kind->key(question, variant, runs);
  return key.is_null() ? std::string{} : question.kind->show(question, key);
}

Verdict grade(const Question& question, const Variant& variant, const json& answer,
              LessonRuns& runs) {
  if (has_seals(question) && !too_deep(answer) && !blank(answer))
    return grade_locally(question, variant, answer);
  const bool none = too_deep(answer) || blank(answer);  // it needs no key
  const json key = none ? json() : question.kind->key(question, variant, runs);
  return grade(question, variant, key, answer, runs);
}

Verdict grade(const Question& question, const Variant& variant, const json& key, const json& answer,
              LessonRuns& runs) {
  Verdict verdict;
  verdict.most = question.points;
  const auto malformed = [&](const std::string& why) {
    require_fit_key(question, variant, key, runs);
    verdict.state = Verdict::State::malformed;
    verdict.points = 0;
    verdict.says = shortened(why, 500);
    return verdict;
  };
  const bool by_hand = question.kind->marked_by_hand();
  if (too_deep(answer)) {
    verdict.state = Verdict::State::malformed;
    verdict.says = "Lists within lists, too deep for an answer.";
    return verdict;
  }
  if (blank(answer)) return verdict;
  if (key.is_null() && !by_hand) {
    verdict.says = fault_in_form(question, variant, answer);
    verdict.state = verdict.says.empty() ? Verdict::State::not_graded : Verdict::State::malformed;
    if (verdict.says.empty() && question.student_copy) verdict.says = kKeptForLecturer;
    return verdict;
  }
  try {
    const json given = read_answer(question, variant, answer);
    const Judgement judged = question.kind->judge(question, variant, key, given, runs);
    verdict.state = Verdict::State::by_hand;
    if (by_hand) return verdict;
    verdict.points = question.points * std::clamp(judged.share, 0.0, 1.0);
    verdict.says = judged.says;
    verdict.state = Verdict::State::right;
    if (judged.share >= 1) return verdict;
    recognise(question, variant, given, runs, verdict);
  } catch (const UserError& error) {
    return malformed(error.what());
  } catch (const std::exception&) {  // of the JSON library, mostly: a text where a table should be
    return malformed(fmt::format("This is not of the form asked for: {}.",
                                 question.kind->form(question, variant, runs).how));
  }
  verdict.state = verdict.points > 0 ? Verdict::State::partly : Verdict::State::wrong;
  return verdict;
}

}  // namespace rankscope
