// Decides which questions keep a run or figure closed, and when they open it.
#include "lessons/course/locks.h"

#include <map>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "lessons/kinds/kind.h"

namespace rankscope {

Lock lock_of(const Question& question, const QuestionProgress& progress) {
  // A question that nobody can answer here must not lock anything.
  if (question.kind == nullptr || progress.gave_up) return Lock::open;
  if (progress.opened && !question.student_copy) return Lock::open;
  if (progress.attempts == 0 && !is_done(question, progress)) return Lock::closed;
  const bool parts = question.kind == &predict_kind() && !question.student_copy;
  return parts && !is_done(question, progress) ? Lock::parting : Lock::open;
}

std::vector<const Question*> locked_by(const Lesson& lesson, const Block& block,
                                       const IsOpen& is_open) {
  std::vector<const Question*> out;
  for (const std::string& id : block.after) {
    const Question* const question = lesson.find_question(id);
    if (question != nullptr && !is_open(*question)) out.push_back(question);
  }
  return out;
}

std::vector<const Question*> run_locked_by(const Lesson& lesson, std::string_view run,
                                           const IsOpen& is_open) {
  std::vector<const Question*> out;
  bool is_shown = false;
  for (const Step& step : lesson.steps)
    for (const Block& block : step.blocks) {
      if (run_shown_by(lesson, block) != run) continue;
      is_shown = true;
      auto locked = locked_by(lesson, block, is_open);
      if (locked.empty()) return {};
      if (out.empty()) out = std::move(locked);
    }
  // A run that no page shows exists for its questions.
  for (const Question& question : lesson.questions)
    if (!is_shown && ranges::count(runs_asked(question), run) > 0 && !is_open(question))
      out.push_back(&question);
  return out;
}

void close_later_pages(Lesson& lesson) {
  std::map<std::string, std::vector<std::string>, std::less<>> waits;
  for (Step& step : lesson.steps) {
    auto here = waits;
    for (Block& block : step.blocks) {
      const std::string run(run_shown_by(lesson, block));
      if (run.empty()) continue;
      if (!block.after.empty()) here.emplace(run, block.after);
      else if (const auto found = waits.find(run); found != waits.end())
        block.after = found->second;
    }
    waits = std::move(here);
  }
}

bool has_seen(const Lesson& lesson, const LessonProgress& progress, const Question& question) {
  const auto is_open = [&](const Question& one) {
    return lock_of(one, progress.of(one.id)) == Lock::open;
  };
  return ranges::any_of(lesson.steps, [&](const Step& step) {
    return ranges::any_of(step.blocks, [&](const Block& block) {
      return block.kind != Block::Kind::reveal &&
             ranges::find(block.after, question.id) != block.after.end() &&
             locked_by(lesson, block, is_open).empty();
    });
  });
}

std::string_view run_shown_by(const Lesson& lesson, const Block& block) noexcept {
  if (block.kind == Block::Kind::run) return block.id;
  if (block.kind != Block::Kind::figure) return {};
  const LessonFigure* const figure = lesson.find_figure(block.id);
  return figure == nullptr ? std::string_view{} : std::string_view(figure->run);
}

std::string locked_words(const Lesson& lesson, const Block& block,
                         const std::vector<const Question*>& questions) {
  std::vector<std::string> names;
  for (const Question* const one : questions) {
    const std::string number = fmt::format("{}", lesson.number_of(*one));
    names.push_back(one->title.empty() ? number : fmt::format("{} ({})", number, one->title));
  }
  return fmt::format("Answer question{} {} first: then the {} opens.", names.size() == 1 ? "" : "s",
                     and_list(names),
                     block.kind == Block::Kind::run      ? "run"
                     : block.kind == Block::Kind::reveal ? "text"
                                                         : "picture");
}

}  // namespace rankscope
