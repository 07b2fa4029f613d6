// Draws the card that stands for runs and figures until the questions about them are answered.
#include <fmt/format.h>

#include "gui/views/lesson/lesson_question.h"

namespace rankscope::gui {
namespace {

// "the run and its picture"
std::string what_opens(const LockedBlocks& locked) {
  if (locked.runs == 0) return locked.figures == 1 ? "the picture" : "the pictures";
  const std::string runs = locked.runs == 1 ? "the run" : "the runs";
  if (locked.figures == 0) return runs;
  return runs + (locked.runs > 1       ? " and the pictures"
                 : locked.figures == 1 ? " and its picture"
                                       : " and its pictures");
}

std::string title_of(const LockedBlocks& locked, bool parts) {
  if (parts) return "Not right yet: the run is open up to where your answer parts from it";
  const std::string what = what_opens(locked);
  const bool one = locked.runs + locked.figures == 1;
  return fmt::format("Answer first, then {} {}", what, one ? "opens" : "open");
}

// A padlock, as high as a line of text.
void padlock(const Look& look, ImVec2 low, ImU32 color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float w = look.px(12), top = low.y + look.px(9), r = look.px(3.6);
  list.AddRectFilled({low.x, top}, {low.x + w, top + look.px(9)}, color, look.px(2));
  const ImVec2 middle{low.x + w / 2, top - look.px(2)};
  list.PathArcTo(middle, r, 3.14159265F, 2 * 3.14159265F, 12);
  list.PathLineTo({middle.x + r, top});
  list.PathStroke(color, 0, look.px(1.7));
  list.AddLine({middle.x - r, middle.y}, {middle.x - r, top}, color, look.px(1.7));
}

void lock_buttons(LessonContext& lesson, const LockedBlocks& locked, const Question& first,
                  bool parts) {
  const LessonState& state = lesson.lesson();
  auto& commands = lesson.context.commands;
  if (parts) {
    if (ring_button(lesson, "Show where", true)) commands.push(cmd::ask_first(first.id));
    hover_text("Shows the run up to that step, with your answer beside it");
    next_button(lesson, "Answer");
  }
  if (ring_button(lesson, "Answer", !parts)) commands.push(cmd::lesson_to(first.id));
  hover_text("Goes to the question");
  const bool by_hand = first.kind != nullptr && first.kind->marked_by_hand();
  if (!by_hand && !state.lecture && !state.lesson->student_copy) {
    next_button(lesson, "Give up");
    if (ring_button(lesson, "Give up")) commands.push(cmd::reveal(first.id));
    hover_text("Shows the right answer and opens the run: no more points for this question");
  }
  if (!state.lecture && !state.lecturer) return;
  next_button(lesson, "Unlock");
  if (ring_button(lesson, "Unlock")) commands.push(cmd::unlock(locked.id));
  hover_text("For lecturers: opens it without an answer");
}

}  // namespace

void draw_locked(LessonContext& lesson, const LockedBlocks& locked) {
  const Look& look = lesson.look();
  const auto& p = look.palette();
  const LessonState& state = lesson.lesson();
  const Question& first = *locked.questions.front();
  const bool parts = state.lock(first) == Lock::parting;
  const float outside = lesson.width;
  const Card card =
      begin_card(lesson, "locked", p.bar, p.panel_edge, parts ? p.warning : p.muted, 14);
  lesson.width = card.inner;
  lesson.right = card.low.x + outside - card.pad;
  const float left = look.px(22);
  padlock(look, ImGui::GetCursorScreenPos(), parts ? p.warning : p.muted);
  ImGui::Indent(left);
  draw_words(look, title_of(locked, parts), card.inner - left, {14, 0, true});
  std::string which;
  for (const Question* const one : locked.questions)
    which +=
        fmt::format("{}Question {}{}", which.empty() ? "" : " · ", state.lesson->number_of(*one),
                    one->title.empty() ? "" : ": " + one->title);
  draw_words(look, which, card.inner - left, {13, p.muted});
  vertical_gap(look, 8);
  lock_buttons(lesson, locked, first, parts);
  ImGui::Unindent(left);
  lesson.width = outside;
  end_card(lesson, card);
}

}  // namespace rankscope::gui
