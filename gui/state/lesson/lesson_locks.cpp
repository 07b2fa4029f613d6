// Runs that wait for an answer, and lecturers who open them.
#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "gui/state/lesson/lesson_controller.h"

namespace rankscope::gui {

void LessonController::unlock(const std::string& id) {
  std::vector<std::string> questions;
  for (const Step& step : lesson().steps)
    for (const Block& block : step.blocks)
      if (block.id == id) questions.insert(questions.end(), block.after.begin(), block.after.end());
  if (questions.empty())
    throw UserError(
        fmt::format("nothing keeps \"{}\" closed: it is no run or figure that waits for an "
                    "answer",
                    id));
  if (!state_.lecture && !state_.lecturer)
    throw UserError(
        "only lecturers open a run before its question: answer it, or let its answer be shown "
        "(`lecturer on` shows the notes, and opens runs)");
  for (const std::string& question : questions) {
    if (state_.lecture) state_.revealed.insert(unlocked_name(question));
    else state_.progress.questions[question].opened = true;
  }
  save();
}

}  // namespace rankscope::gui
