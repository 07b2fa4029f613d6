// Runs and figures that stay closed until a question about them is answered: predict, then run.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "lessons/course/progress.h"

namespace rankscope {

/// The visible part of the runs that a question locks.
enum class Lock : std::uint8_t {
  closed,   ///< No answer has been given.
  parting,  ///< After a wrong prediction: the run up to where the prediction differs.
  open,
};

/// Any answer opens the run, even a wrong one. But a wrongly predicted message shows it only up to where the two
/// differ, since the next step would be the answer: it opens with a right answer, giving up or the last attempt.
Lock lock_of(const Question& question, const QuestionProgress& progress);

using IsOpen = std::function<bool(const Question&)>;

/// Returns the questions that keep this run or figure closed, in the order of its line; none if it is open.
std::vector<const Question*> locked_by(const Lesson& lesson, const Block& block,
                                       const IsOpen& is_open);
/// Returns the questions that keep a run closed everywhere in the lesson: none as soon as it, or a figure of it, is
/// open somewhere. The questions about a run that no page shows close it.
std::vector<const Question*> run_locked_by(const Lesson& lesson, std::string_view run,
                                           const IsOpen& is_open);
/// Closes a run on later pages by the questions that close it on an earlier one, since a reader may turn to the later
/// page first. For a lesson that was just read.
void close_later_pages(Lesson& lesson);
/// Returns whether a run or figure that this question locks is open.
bool has_seen(const Lesson& lesson, const LessonProgress& progress, const Question& question);
/// Returns the run that a block shows, itself or as a figure; empty if it shows none.
std::string_view run_shown_by(const Lesson& lesson, const Block& block) noexcept;

/// Returns "Answer question 3 (The next message) first: then the run opens."
std::string locked_words(const Lesson& lesson, const Block& block,
                         const std::vector<const Question*>& questions);

}  // namespace rankscope
