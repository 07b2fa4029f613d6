#include "lessons/grade.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "lessons/run_book.h"

namespace rankscope {
namespace {

using nlohmann::json;

// What walks through an answer calls itself for each level.
constexpr int kMostLevels = 32;
bool too_deep(const json& answer, int levels = kMostLevels) {
  if (!answer.is_structured()) return false;
  if (levels == 0) return true;
  return std::ranges::any_of(answer, [&](const json& one) { return too_deep(one, levels - 1); });
}

// FNV-1a, so that questions of one lesson draw apart from each other with one seed.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t out = 0xcbf29ce484222325;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return out;
}

json stored_answer(const json& answer, const json& key, const Variant& variant, RunBook& runs) {
  return answer == "key" ? key : expand(answer, variant.values, &runs);
}

void recognise(const Question& question, const Variant& variant, const json& answer, RunBook& runs,
               Verdict& verdict) {
  for (const Misconception& known : question.misconceptions) {
    json wrong;
    try {
      wrong = expand(known.answer, variant.values, &runs);
    } catch (const std::exception&) {
      continue;  // the lesson's fault, not the answer's: check_lesson tells it
    }
    if (!question.kind->same(question, variant, wrong, answer, runs)) continue;
    verdict.misconception = known.id;
    verdict.says = fill_in(known.says, variant.values);
    verdict.points = std::max(verdict.points, known.share * question.points);
    return;
  }
}

}  // namespace

std::string_view to_string(Verdict::State state) noexcept {
  switch (state) {
    case Verdict::State::right: return "right";
    case Verdict::State::partly: return "partly right";
    case Verdict::State::wrong: return "wrong";
    case Verdict::State::unanswered: return "not answered";
    case Verdict::State::malformed: return "not an answer";
    case Verdict::State::by_hand: return "marked by hand";
    case Verdict::State::not_graded: break;
  }
  return "not graded";
}

Variant variant_of(const Question& question, std::uint64_t seed) {
  const std::uint64_t own = seed == 0 ? 0 : (seed * 0x9e3779b97f4a7c15) ^ hash_of(question.id);
  return {seed, draw(question.rules, own)};
}

Verdict grade(const Question& question, const Variant& variant, const json& answer, RunBook& runs) {
  // An answer that is none needs no key. Some keys can be computed from what is left in a student's
  // copy; marks come from the lecturer's.
  const bool none = question.student_copy || too_deep(answer) || blank(answer);
  const json key = none ? json() : question.kind->key(question, variant, runs);
  return grade(question, variant, key, answer, runs);
}

Verdict grade(const Question& question, const Variant& variant, const json& key, const json& answer,
              RunBook& runs) {
  Verdict verdict;
  verdict.most = question.points;
  const auto malformed = [&](const std::string& why) {
    verdict.state = Verdict::State::malformed;
    verdict.points = 0;
    verdict.says = shortened(why, 500);
    return verdict;
  };
  if (too_deep(answer)) return malformed("Lists within lists, too deep for an answer.");
  if (blank(answer)) return verdict;
  const bool by_hand = question.kind->marked_by_hand();
  if (key.is_null() && !by_hand) {
    verdict.state = Verdict::State::not_graded;
    return verdict;
  }
  try {
    const Judgement judged = question.kind->judge(question, variant, key, answer, runs);
    verdict.state = Verdict::State::by_hand;
    if (by_hand) return verdict;
    verdict.points = question.points * std::clamp(judged.share, 0.0, 1.0);
    verdict.says = judged.says;
    verdict.state = Verdict::State::right;
    if (judged.share >= 1) return verdict;
    recognise(question, variant, answer, runs, verdict);
  } catch (const UserError& error) {
    return malformed(error.what());
  } catch (const std::exception&) {  // of the JSON library, mostly: a text where a table should be
    return malformed(fmt::format("This is not of the form asked for: {}.",
                                 question.kind->form(question, variant, runs).how));
  }
  verdict.state = verdict.points > 0 ? Verdict::State::partly : Verdict::State::wrong;
  return verdict;
}

bool QuestionKind::same(const Question& question, const Variant& variant, const json& other,
                        const json& answer, RunBook& runs) const {
  try {
    return judge(question, variant, other, answer, runs).share >= 1;
  } catch (const std::exception&) {
    return false;
  }
}

namespace {

void check_stored(const Question& question, const std::string& file, std::uint64_t seed,
                  RunBook& runs, Complaints& complaints) {
  const Variant variant = variant_of(question, seed);
  const json key = question.kind->key(question, variant, runs);
  const auto complain = [&](int line, const std::string& text) {
    complaints.add(file, line, fmt::format("question {} (seed {}): {}", question.id, seed, text));
  };
  if (!question.kind->marked_by_hand()) {
    if (key.is_null()) return complain(question.line, "has no right answer");
    const Verdict right = grade(question, variant, key, runs);
    if (right.state != Verdict::State::right)
      complain(question.line, fmt::format("its own right answer {} is graded '{}': {}", key.dump(),
                                          to_string(right.state), right.says));
  }
  for (const Misconception& known : question.misconceptions) {
    try {
      expand(known.answer, variant.values, &runs);
    } catch (const std::exception& error) {
      complain(question.line, fmt::format("misconception {}: {}", known.id, error.what()));
    }
  }
  for (const StoredAnswer& stored : question.stored) {
    const Verdict got =
        grade(question, variant, stored_answer(stored.answer, key, variant, runs), runs);
    const double share =
        stored.share.is_null() ? 1 : answer_number(expand(stored.share, variant.values));
    if (!close(got.points, share * question.points))
      complain(stored.line, fmt::format("stored answer '{}' gets {} of {} points, not {}: {}",
                                        stored.name, number_text(got.points), number_text(got.most),
                                        number_text(share * question.points), got.says));
    const std::string says = fill_in(stored.says, variant.values);
    if (got.says.find(says) == std::string::npos && got.misconception != stored.says)
      complain(stored.line, fmt::format("stored answer '{}' is told \"{}\", which lacks \"{}\"",
                                        stored.name, got.says, says));
  }
}

}  // namespace

void check_lesson(const Lesson& lesson, RunBook& runs, Complaints& complaints) {
  const std::string file = (lesson.folder.filename() / "lesson.toml").string();
  runs.know(lesson.runs);
  for (const LessonRun& run : lesson.runs) {
    try {
      runs.run(run.id, {});
    } catch (const std::exception& error) {
      // Runs with a question's variables cannot be made without them.
      if (run.job.dump().find("\"=") == std::string::npos)
        complaints.add(file, 0, fmt::format("run {}: {}", run.id, error.what()));
    }
  }
  for (const Question& question : lesson.questions) {
    if (question.kind == nullptr) continue;
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      try {
        check_stored(question, file, seed, runs, complaints);
      } catch (const std::exception& error) {
        complaints.add(file, question.line,
                       fmt::format("question {} (seed {}): {}", question.id, seed, error.what()));
      }
      if (question.rules.variables.empty()) break;
    }
  }
}

}  // namespace rankscope
