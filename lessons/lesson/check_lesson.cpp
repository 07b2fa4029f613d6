// What reading a lesson's files cannot see: whether its runs can be made, and whether each question grades its
// own right answer and the stored ones as it says, whatever numbers it draws.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "lessons/grading/grade.h"
#include "lessons/lesson/check_texts.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/lesson/run_place.h"
#include "lessons/lesson/translation.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::size_t kMostChecked = 300;
constexpr std::uint64_t kCheckedSeeds = 50;  // of a question that can draw more

std::vector<Variant> variants_of(const Question& question) {
  std::vector<Variant> out{variant_of(question, 0)};
  if (question.rules.variables.empty()) return out;
  if (auto draws = all_draws(question.rules, kMostChecked)) {
    for (Values& values : *draws)
      if (values != out.front().values) out.push_back({0, std::move(values)});
    return out;
  }
  for (std::uint64_t seed = 1; seed < kCheckedSeeds; ++seed)
    out.push_back(variant_of(question, seed));
  return out;
}

class QuestionCheck {
 public:
  QuestionCheck(const Question& question, std::string file, LessonRuns& runs,
                Complaints& complaints)
      : question_(question), file_(std::move(file)), runs_(runs), complaints_(complaints) {}

  // Up to the first numbers with which something is wrong: with the others it mostly is the same.
  void check() {
    stored_.resize(question_.stored.size());
    const auto before = complaints_.all().size();
    std::vector<Variant> variants;  // outlives the try: complaints about an error name its numbers
    try {
      variants = variants_of(question_);
      for (const Variant& variant : variants) {
        variant_ = &variant;
        check_variant();
        if (complaints_.all().size() > before) return;
      }
    } catch (const std::exception& error) {
      return complain(question_.line, error.what());
    }
    variant_ = nullptr;
    if (!question_.kind->marked_by_hand()) check_number_of_stored();
  }

 private:
  struct Range {
    double least = 1, most = 0;
  };

  void complain(int line, const std::string& text) {
    const bool drawn = variant_ != nullptr && !variant_->values.empty();
    complaints_.add(
        file_, line,
        fmt::format("question {}{}: {}", question_.id,
                    drawn ? fmt::format(" ({})", values_text(variant_->values)) : "", text));
  }

  void check_variant() {
    const Variant& variant = *variant_;
    for (const std::string* text : {&question_.prompt, &question_.explanation})
      fill_in(*text, variant.values);
    for (const std::string& hint : question_.hints) fill_in(hint, variant.values);
    question_.kind->form(question_, variant, runs_);
    const json key = question_.kind->key(question_, variant, runs_);
    if (!question_.kind->marked_by_hand() && !check_key(key)) return;
    for (const Misconception& known : question_.misconceptions) {
      try {
        expand(known.answer, variant.values, &runs_);
        fill_in(known.says, variant.values);
      } catch (const std::exception& error) {
        complain(question_.line, fmt::format("misconception {}: {}", known.id, error.what()));
      }
    }
    for (std::size_t i = 0; i < question_.stored.size(); ++i)
      check_stored(question_.stored[i], key, stored_[i]);
  }

  bool check_key(const json& key) {
    if (key.is_null()) return complain(question_.line, "has no right answer"), false;
    if (blank(key)) return complain(question_.line, "no answer is right"), false;
    // As it is, and as a person would write it.
    for (const json& form : {key, json(question_.kind->show(question_, key))}) {
      const Verdict right = grade(question_, *variant_, key, form, runs_);
      if (right.state == Verdict::State::right) continue;
      complain(question_.line, fmt::format("its own right answer {} is graded '{}': {}",
                                           brief(form), to_string(right.state), right.says));
      return false;
    }
    return true;
  }

  void check_stored(const StoredAnswer& stored, const json& key, Range& shares) {
    const Values& values = variant_->values;
    const json answer = stored.answer == "key" ? key : expand(stored.answer, values, &runs_);
    const Verdict got = grade(question_, *variant_, key, answer, runs_);
    const double share = stored.share.is_null() ? 1 : answer_number(expand(stored.share, values));
    shares = {std::min(shares.least, share), std::max(shares.most, share)};
    if (!close(got.points, share * question_.points))
      complain(stored.line, fmt::format("stored answer '{}' gets {} of {} points, not {}: {}",
                                        stored.name, number_text(got.points), number_text(got.most),
                                        number_text(share * question_.points), got.says));
    const std::string says = fill_in(stored.says, values);
    if (got.says.find(says) == std::string::npos && got.misconception != stored.says)
      complain(stored.line,
               fmt::format("stored answer '{}' gets the text \"{}\", which lacks \"{}\"",
                           stored.name, got.says, says));
  }

  void check_number_of_stored() {
    constexpr auto kLeastWrong = 2;
    const auto right = ranges::count_if(stored_, [](const Range& one) { return one.most >= 1; });
    const auto wrong = ranges::count_if(stored_, [](const Range& one) { return one.least < 1; });
    if (right < 1 || wrong < kLeastWrong)
      complain(question_.line, fmt::format("has {} right and {} wrong [[question.stored]] answers; "
                                           "write at least one right and two wrong ones",
                                           right, wrong));
  }

  const Question& question_;
  const std::string file_;
  LessonRuns& runs_;
  Complaints& complaints_;
  const Variant* variant_ = nullptr;
  std::vector<Range> stored_;  // what the stored answers get, over all numbers
};

bool asked_about(const Lesson& lesson, const std::string& run) {
  return ranges::any_of(lesson.questions, [&](const Question& question) {
    const json parts = question.data.flatten();
    return ranges::any_of(parts.items(), [&](const auto& part) {
      return part.key().ends_with("/run") && part.value() == run;
    });
  });
}

bool shown(const Lesson& lesson, const std::string& run) {
  return ranges::any_of(lesson.figures, [&](auto& one) { return one.run == run; }) ||
         ranges::any_of(lesson.steps, [&](const Step& step) {
           return ranges::any_of(step.blocks, [&](const Block& block) {
             return block.kind == Block::Kind::run && block.id == run;
           });
         });
}

void check_run(const Lesson& lesson, const LessonRun& run, const std::string& file,
               LessonRuns& runs, Complaints& complaints) {
  try {
    const RunRecord& record = runs.run(run.id, {});
    const auto at = start_round(run.at);
    if (at && std::isfinite(*at) && *at > record.rounds().count)
      complaints.add(file, run.line,
                     fmt::format("run {}: it has {} rounds, and no '{}'", run.id,
                                 record.rounds().count, run.at));
  } catch (const std::exception& error) {
    // One with a question's variables is made with that question's numbers, and there its errors are seen.
    if (shown(lesson, run.id) || !asked_about(lesson, run.id))
      complaints.add(file, run.line, fmt::format("run {}: {}", run.id, error.what()));
  }
}

}  // namespace

void check_lesson(const Lesson& lesson, LessonRuns& runs, Complaints& complaints) {
  const std::string file = (lesson.folder.filename() / "lesson.toml").string();
  runs.know(lesson.runs);
  for (const LessonRun& run : lesson.runs) check_run(lesson, run, file, runs, complaints);
  for (const Question& question : lesson.questions)
    if (question.kind != nullptr) QuestionCheck(question, file, runs, complaints).check();
  if (lesson.student_copy) return;
  if (lesson.edition >= 2) check_texts(lesson, runs, complaints);
  check_translations(lesson, complaints);
  for (const CodingExercise& exercise : lesson.coding)
    check_coding(exercise, lesson.folder, file, complaints, lesson.edition);
}

}  // namespace rankscope
