// Checks that a lesson's runs can be made and are not seen before their questions, and that each question grades its own right
// answer and the stored ones as it says, with all numbers that it draws.
#include "lessons/course/check_lesson.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "lessons/course/check_coding.h"
#include "lessons/course/check_texts.h"
#include "lessons/course/locks.h"
#include "lessons/course/translation.h"
#include "lessons/grading/grade.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/lesson/picture.h"

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

  // Stops at the first numbers with a mistake, since other numbers mostly have the same one.
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
    // The key as it is, and as a person would write it.
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
  std::vector<Range> stored_;  // the shares of the stored answers, over all numbers
};

bool asked_about(const Lesson& lesson, const std::string& run) {
  return ranges::any_of(lesson.questions, [&](const Question& question) {
    return ranges::count(runs_asked(question), run) > 0;
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
    // A run with variables is made with each question's numbers, which shows its errors.
    if (shown(lesson, run.id) || !asked_about(lesson, run.id))
      complaints.add(file, run.line, fmt::format("run {}: {}", run.id, error.what()));
  }
}

constexpr int kMostRows = 64;

struct Shown {
  const Step* step = nullptr;
  const Block* block = nullptr;
  std::string run;
  std::optional<JobSpec> job;
};

std::string name_of(const Block& block) {
  return fmt::format("@{} {}", block.kind == Block::Kind::run ? "run" : "figure", block.id);
}

class LockCheck {
 public:
  LockCheck(const Lesson& lesson, LessonRuns& runs, Complaints& complaints)
      : lesson_(lesson), runs_(runs), complaints_(complaints) {}

  void check() {
    for (const Step& step : lesson_.steps) find_shown(step);
    for (const Step& step : lesson_.steps)
      for (const Block& block : step.blocks)
        if (block.kind == Block::Kind::question) check_question(step, block);
    for (const Shown& one : shown_)
      if (!one.block->after.empty()) check_other_places(one);
  }

 private:
  void complain(const Step& step, const Block& block, const std::string& text) {
    complaints_.add((lesson_.folder.filename() / step.file).string(), block.line, text);
  }

  void find_shown(const Step& step) {
    for (const Block& block : step.blocks) {
      const std::string run(run_shown_by(lesson_, block));
      if (!run.empty()) shown_.push_back({&step, &block, run, job_of(run, {})});
    }
  }

  // Returns nothing for a run that cannot be made with these numbers; check_lesson reports why.
  std::optional<JobSpec> job_of(const std::string& run, const Values& values) {
    try {
      return runs_.job(run, values);
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  // Returns the runs from which the right answer is computed, with the printed numbers.
  std::vector<JobSpec> asked_jobs(const Question& question) {
    std::vector<JobSpec> out;
    const Values printed = variant_of(question, 0).values;
    const int first = static_cast<int>(question.data.value("first_row", 0.0));
    const bool in_rows = question.data.contains("rows");
    for (const std::string& run : runs_asked(question))
      for (int row = first; row < first + (in_rows ? kMostRows : 1); ++row) {
        Values values = printed;
        if (in_rows) values["row"] = row;
        const std::string id = fill_in(run, values);
        if (lesson_.find_run(id) == nullptr) break;
        if (auto job = job_of(id, values)) out.push_back(std::move(*job));
      }
    return out;
  }

  void check_question(const Step& step, const Block& block) {
    const Question* const question = lesson_.find_question(block.id);
    if (question == nullptr || question->kind == nullptr || !question->kind->row().seen_in_run)
      return;
    std::vector<JobSpec> asked;
    try {
      asked = asked_jobs(*question);
    } catch (const std::exception&) {  // check_lesson reports what is wrong with the question
      return;
    }
    bool above = false;
    for (const Shown& one : shown_) {
      if (one.step != &step || !one.job || ranges::find(asked, *one.job) == asked.end()) continue;
      if (one.block->line < block.line && !std::exchange(above, true))
        complain(step, block,
                 fmt::format("question {} asks what {} above it shows: put the question first, or "
                             "let it draw other numbers",
                             question->id, name_of(*one.block)));
      const auto& after = one.block->after;
      if (one.block->line > block.line && ranges::find(after, question->id) == after.end())
        complain(step, *one.block,
                 fmt::format("{} stands open below question {}, which asks what it shows: write "
                             "\"{} after {}\", so that it opens when that is answered",
                             name_of(*one.block), question->id, name_of(*one.block), question->id));
    }
  }

  // A run that an answer opens must not be open elsewhere.
  void check_other_places(const Shown& locked) {
    for (const Shown& one : shown_) {
      if (one.run != locked.run || !one.block->after.empty()) continue;
      if (one.step > locked.step) continue;  // a later page
      complain(*one.step, *one.block,
               fmt::format("{} stands open, and run {} opens only after question {}: write \"{} "
                           "after {}\" here, too",
                           name_of(*one.block), locked.run, locked.block->after.front(),
                           name_of(*one.block), locked.block->after.front()));
    }
  }

  const Lesson& lesson_;
  LessonRuns& runs_;
  Complaints& complaints_;
  std::vector<Shown> shown_;
};

}  // namespace

void check_lesson(const Lesson& lesson, LessonRuns& runs, Complaints& complaints) {
  const std::string file = (lesson.folder.filename() / "lesson.toml").string();
  runs.know(lesson.runs);
  for (const LessonRun& run : lesson.runs) check_run(lesson, run, file, runs, complaints);
  for (const Question& question : lesson.questions)
    if (question.kind != nullptr) QuestionCheck(question, file, runs, complaints).check();
  if (lesson.student_copy) return;
  if (lesson.edition >= 2) {
    check_texts(lesson, runs, complaints);
    LockCheck(lesson, runs, complaints).check();
  }
  check_translations(lesson, complaints);
  for (const CodingExercise& exercise : lesson.coding)
    check_coding(exercise, lesson.folder, file, complaints, lesson.edition);
}

}  // namespace rankscope
