// The parts of a lesson's page (a question with its answer, a code exercise, the course's check list), and the list of all lessons.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gui/views/lesson/lesson_widgets.h"
#include "gui/views/scene/scene_view.h"
#include "lessons/lesson/coding.h"

namespace rankscope::gui {

// ---- A question ----

/// The state of questions from frame to frame.
struct QuestionMemory {
  /// Text forms while they are typed, by question.
  std::map<std::string, std::string, std::less<>> typed;
  std::map<std::string, std::unique_ptr<SceneCache>, std::less<>> drawings;
  std::string judged;  ///< The question whose verdict was asked for last,
  int looks = 0;       ///< and the frames for which the page still scrolls to it.
  std::string shows;   ///< The question that is asked whether its answer is to be shown.
};

/// In place of runs and figures that wait for answers: what to do. `runs` and `figures`: how many it stands for, the
/// first of them with the id `id`. It has none of them, nor an id, for a text.
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

// ---- A code exercise: its contract, the program that is handed in, and the grader's verdict ----

/// The text in the field for the program's file, by exercise.
struct TypedProgram {
  std::string text;
  std::string chosen;    ///< The file that it was last the same as.
  bool offered = false;  ///< The program of another exercise was written into the empty field.
  bool awaited = false;  ///< It was being graded,
  int looks = 0;         ///< and the frames for which the page still scrolls to the verdict.
};
using TypedPrograms = std::map<std::string, TypedProgram, std::less<>>;

void draw_coding(LessonContext& lesson, TypedPrograms& typed, const CodingExercise& exercise);

// ---- A course as a check list: its items in its own order, with points and states ----

/// "Homework · Task 2 · Step 2 (b)" and "26.5 of 50 · due 2026-11-20 23:59", for the item on the open page.
struct CourseLine {
  std::string place, item;     ///< `item`: the end of `place`, where it does not fit.
  std::string points, scored;  ///< `scored`: without the date.
};
CourseLine course_line(const CourseCard& card, const CourseCard::Item& item);
/// Draws the course's items; a click leads to one. The one on the page is scrolled to if `to_here`.
void draw_course_items(LessonContext& lesson, const CourseCard& card, bool to_here = false);
/// Draws the button that leads from a question or exercise to the course's next open item, or to the hand-in if there is none.
void next_in_course(LessonContext& lesson, std::string_view exercise);
/// Draws the form of what is handed in, and what came of it.
void draw_hand_in(LessonContext& lesson, const CourseCard& card, std::string& to,
                  std::string& name);

// ---- The list of all lessons ----

/// All lessons and courses: over the panes.
class LessonBrowser {
 public:
  void draw(ViewContext& context);
  /// Tab moves the focus in a course's page.
  bool takes_key(std::string_view key) {
    return (key == "Tab" || key == "Shift+Tab") && ring_.tab(key != "Tab");
  }

 private:
  void course_page(ViewContext& context, const CourseCard& course);
  void courses(ViewContext& context, float width);
  void cards(ViewContext& context);
  void card(ViewContext& context, const LessonCard& card, std::size_t number);
  void students(ViewContext& context);

  FocusRing ring_;
  MarkdownCache markdown_;
  std::string to_, sheet_name_;  ///< Of the form for handing in.
  bool hands_in_ = false;        ///< It was there in the last frame.
  std::string form_;             ///< The place and name that it was filled with.
  std::array<char, 80> name_{};
  std::map<ImGuiID, float> heights_;
};

}  // namespace rankscope::gui
