// Runs and figures that stay closed until a question about them is answered: predict, then run.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "lessons/course/progress.h"

namespace rankscope {

/// How much of the runs that a question locks is shown.
enum class Lock : std::uint8_t {
  closed,   ///< No answer has been given.
  parting,  ///< After a wrong prediction: the run up to where the prediction differs.
  open,
};

/// Any answer opens the run, also a wrong one, except a wrongly predicted message: it shows the run up to where the two
/// differ, since the next step would be the answer, until a right answer, giving up or the last attempt. An open run stays
/// open.
Lock lock_of(const Question& question, const QuestionProgress& progress);

using IsOpen = std::function<bool(const Question&)>;

/// The questions that keep this run or figure closed, in the order of its line; none when it is open.
std::vector<const Question*> locked_by(const Lesson& lesson, const Block& block,
                                       const IsOpen& is_open);
/// The questions that keep a run closed everywhere in the lesson: it is open as soon as it, or a figure of it, is open
/// somewhere. A run that no page shows is closed by the questions about it.
std::vector<const Question*> run_locked_by(const Lesson& lesson, std::string_view run,
                                           const IsOpen& is_open);
/// Gives later pages' lines of a run the questions that keep it closed on an earlier page, since a reader may turn to the
/// later page first. For a lesson that was just read.
void close_later_pages(Lesson& lesson);
/// Returns whether a run or figure that this question locks is open.
bool has_seen(const Lesson& lesson, const LessonProgress& progress, const Question& question);
/// The run that a block shows, itself or as a figure; empty when it shows none.
std::string_view run_shown_by(const Lesson& lesson, const Block& block) noexcept;

/// "Answer question 3 (The next message) first: then the run opens."
std::string locked_words(const Lesson& lesson, const Block& block,
                         const std::vector<const Question*>& questions);

}  // namespace rankscope
