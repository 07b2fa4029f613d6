// Predict, then run: runs and figures that stay closed until a question about them is answered.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "lessons/lesson/progress.h"

namespace rankscope {

/// How far the runs that a question locks are open.
enum class Lock : std::uint8_t {
  closed,   ///< No answer has been given.
  parting,  ///< A wrong prediction: up to where it parts from the run.
  open,
};

/// The policy. Any answer opens the run, also a wrong one: one predicts, then sees. Only of a message that was
/// predicted wrongly the run is shown up to where it parts, since the next step would be the answer; a right
/// answer, giving up and the last attempt open it. What is open stays open.
Lock lock_of(const Question& question, const QuestionProgress& progress);

using IsOpen = std::function<bool(const Question&)>;

/// The questions that keep this run or figure closed, in the order of its line; none: it is open.
std::vector<const Question*> locked_by(const Lesson& lesson, const Block& block,
                                       const IsOpen& is_open);
/// The same of a run, wherever the lesson shows it: it is open as soon as it, or a figure of it, is open somewhere.
/// A run that no page shows is closed by the questions that are asked about it.
std::vector<const Question*> run_locked_by(const Lesson& lesson, std::string_view run,
                                           const IsOpen& is_open);
/// A run that waits for an answer waits on later pages, too, since one may turn to them first: gives their lines the
/// same questions. Of a lesson that was just read.
void close_later_pages(Lesson& lesson);
/// Stands a run or figure open that this question locks?
bool has_seen(const Lesson& lesson, const LessonProgress& progress, const Question& question);
/// The run that a block shows, itself or as a figure; empty: none.
std::string_view run_shown_by(const Lesson& lesson, const Block& block) noexcept;

/// "Answer question 3 (The next message) first: then the run opens."
std::string locked_words(const Lesson& lesson, const Block& block,
                         const std::vector<const Question*>& questions);

}  // namespace rankscope
