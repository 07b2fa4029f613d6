// Goes through a lesson's runs: whether one sees a run before one is asked about it.
#include <array>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "lessons/grading/kind.h"
#include "lessons/lesson/check_texts.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/lesson/locks.h"

namespace rankscope {
namespace {

using nlohmann::json;

// Kinds that are about a run's course: seen before it is asked, there is nothing left to say. A bug is looked for in
// a run that one sees, and a drawn diagram or schedule may be another one than ours.
constexpr std::array<std::string_view, 6> kFromRuns = {"number", "vector",  "table",
                                                       "fill",   "predict", "order"};
constexpr int kMostRows = 64;

struct Shown {
  const Step* step = nullptr;
  const Block* block = nullptr;
  std::string run, job;
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
      if (!run.empty()) shown_.push_back({&step, &block, run, job_text(run, {})});
    }
  }

  // Empty for a run that cannot be made with these numbers: check_lesson says what is wrong with it.
  std::string job_text(const std::string& run, const Values& values) {
    try {
      return to_json(runs_.job(run, values));
    } catch (const std::exception&) {
      return {};
    }
  }

  // The runs from which the right answer is made, as the question prints it.
  std::vector<std::string> asked_jobs(const Question& question) {
    std::vector<std::string> out;
    const Values printed = variant_of(question, 0).values;
    const json parts = question.data.flatten();
    const int first = static_cast<int>(question.data.value("first_row", 0.0));
    const bool in_rows = question.data.contains("rows");
    for (const auto& [key, value] : parts.items()) {
      if (!key.ends_with("/run") || !value.is_string()) continue;
      for (int row = first; row < first + (in_rows ? kMostRows : 1); ++row) {
        Values values = printed;
        if (in_rows) values["row"] = row;
        const std::string id = fill_in(value.get<std::string>(), values);
        if (lesson_.find_run(id) == nullptr) break;
        if (std::string job = job_text(id, values); !job.empty()) out.push_back(std::move(job));
      }
    }
    return out;
  }

  void check_question(const Step& step, const Block& block) {
    const Question* const question = lesson_.find_question(block.id);
    if (question == nullptr || question->kind == nullptr ||
        ranges::find(kFromRuns, question->kind->name()) == kFromRuns.end())
      return;
    std::vector<std::string> asked;
    try {
      asked = asked_jobs(*question);
    } catch (const std::exception&) {  // check_lesson reports what is wrong with the question
      return;
    }
    bool above = false;
    for (const Shown& one : shown_) {
      if (one.step != &step || ranges::find(asked, one.job) == asked.end()) continue;
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

  // What opens with an answer must not stand open elsewhere.
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

void check_locks(const Lesson& lesson, LessonRuns& runs, Complaints& complaints) {
  LockCheck(lesson, runs, complaints).check();
}

}  // namespace rankscope
