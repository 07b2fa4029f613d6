// A question of a lesson, with its fields, hints and verdict.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gui/views/lesson/lesson_widgets.h"
#include "gui/views/scene/scene_view.h"

namespace rankscope::gui {

/// The state of questions from frame to frame.
struct QuestionMemory {
  std::map<std::string, std::string, std::less<>> typed;  ///< Text forms, by question.
  std::set<std::string, std::less<>>
      entered;  ///< Questions whose text was taken in the last frame.
  std::map<std::string, std::unique_ptr<SceneCache>, std::less<>> drawings;
  std::string judged;  ///< The question whose verdict was asked for last,
  int looks = 0;       ///< and for so many frames more it is brought into sight.
  std::string shows;   ///< The question that is asked whether its answer is to be shown.
};

/// In place of runs and figures that wait for answers: what to do. `runs` and `figures`: how many it stands for, the
/// first of them with the id `id`.
struct LockedBlocks {
  std::string id;
  int runs = 0, figures = 0;
  std::vector<const Question*> questions;
};
void draw_locked(LessonContext& lesson, QuestionMemory& memory, const LockedBlocks& locked);
void draw_question(LessonContext& lesson, QuestionMemory& memory, const Question& question);

/// Draws the fields of the answer; returns true if Enter was pressed to check it.
bool draw_answer(LessonContext& lesson, QuestionMemory& memory, const Question& question,
                 const QuestionState& question_state, bool open);
/// In a lecture: what there is to choose from, and how many hands were raised.
void draw_hands(LessonContext& lesson, const Question& question,
                const QuestionState& question_state);
/// The letters of an answer to a choice: "a, c" -> "ac".
std::string letters_in(const std::string& text);

}  // namespace rankscope::gui
