// Draws a question: its points, answer fields, hints, verdict and solution.
#include "gui/views/lesson/lesson_question.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "lessons/lesson/expand.h"

namespace rankscope::gui {
namespace {

using State = Verdict::State;

const char* word_of(State state) {
  switch (state) {
    case State::right: return "Right";
    case State::partly: return "Partly right";
    case State::wrong: return "Not right yet";
    case State::by_hand: return "Noted: a person marks this one";
    case State::not_graded: return "Noted";
    case State::malformed: return "This cannot be read";
    case State::unanswered: break;
  }
  return "";
}

std::string points_line(const Question& question, const QuestionProgress& one) {
  std::string out = fmt::format("{} of {}", short_number(one.points), points_text(question.points));
  if (one.hints > 0)
    out += fmt::format(" · {} hint{} opened", one.hints, one.hints == 1 ? "" : "s");
  if (one.attempts > 1) out += fmt::format(" · {} attempts", one.attempts);
  if (one.seen) out += " · after the run was seen";
  return out;
}

void feedback(LessonContext& lesson, const Question& question,
              const QuestionState& question_state) {
  const QuestionProgress& one = lesson.lesson().progress.of(question.id);
  if (question_state.checking) {
    return draw_words(lesson.look(), "Checking …", lesson.width,
                      {14, lesson.look().palette().muted});
  }
  if (!question_state.problem.empty())
    return verdict_box(lesson, State::malformed,
                       question_state.ready ? "This cannot be read" : "This question has a fault",
                       question_state.problem,
                       question_state.ready ? "This did not use up an attempt." : "");
  if (one.gave_up)
    return verdict_box(lesson, State::not_graded, "The answer was shown",
                       "This question is closed.", points_line(question, one));
  if (one.state == State::unanswered || (question_state.edited && one.state != State::right))
    return;
  std::string last = points_line(question, one);
  if (question.attempts > 0 && one.state != State::right)
    last += fmt::format(" · {} attempts left", std::max(question.attempts - one.attempts, 0));
  const bool over = one.state == State::wrong && is_done(question, one);
  verdict_box(lesson, one.state, over ? "Not right" : word_of(one.state), one.says, last);
}

void hints(LessonContext& lesson, const Question& question, const QuestionState& question_state) {
  const Look& look = lesson.look();
  const int open = lesson.lesson().progress.of(question.id).hints;
  for (int i = 0; i < open && i < static_cast<int>(question.hints.size()); ++i) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Indent(look.px(14));
    caption(look, fmt::format("Hint {}", i + 1), look.palette().warning, true);
    lesson.text(fill_in(question.hints[static_cast<std::size_t>(i)], question_state.values),
                lesson.width - look.px(14));
    ImGui::Unindent(look.px(14));
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + look.px(3), ImGui::GetItemRectMax().y},
                                              look.palette().warning, look.px(1.5));
    vertical_gap(look, 8);
  }
}

void solution(LessonContext& lesson, const Question& question,
              const QuestionState& question_state) {
  const Look& look = lesson.look();
  const auto& progress = lesson.lesson().progress.of(question.id);
  const bool told = lesson.lesson().lecture || progress.state != State::right;
  if (told && !question_state.solution.empty()) {
    caption(look, "The right answer", look.palette().good, true);
    draw_words(look, question_state.solution, lesson.width, {14, 0, true});
    vertical_gap(look, 6);
  }
  if (const std::string model = model_answer(question); !model.empty()) {
    caption(look, "A good answer", look.palette().good, true);
    lesson.text(fill_in(model, question_state.values), lesson.width);
    vertical_gap(look, 6);
  }
  if (!question.explanation.empty()) {
    caption(look, "Why", look.palette().muted, true);
    lesson.text(fill_in(question.explanation, question_state.values), lesson.width);
  }
}

void buttons(LessonContext& lesson, const Question& question, const QuestionState& question_state,
             bool& check) {
  const Look& look = lesson.look();
  const auto& one = lesson.lesson().progress.of(question.id);
  auto& commands = lesson.context.commands;
  if (ring_button(lesson, "Check", true, look.px(96),
                  question_state.ready && !question_state.checking))
    check = true;
  if (question_state.form.picture.is != AnswerPicture::Is::none) {
    next_button(lesson, "In the picture");
    if (ring_button(lesson, "In the picture")) commands.push(cmd::ask_first(question.id));
    hover_text(
        "Shows the run, so that the answer can be given there: draw arrows, tap slots, mark the "
        "line");
  }
  const auto left = static_cast<int>(question.hints.size()) - one.hints;
  if (left > 0) {
    const auto label = fmt::format("Hint ({} left)###hint", left);
    next_button(lesson, label.substr(0, label.find('#')).c_str());
    if (ring_button(lesson, label.c_str())) commands.push(cmd::hint(question.id));
  }
  const bool by_hand = question.kind != nullptr && question.kind->marked_by_hand();
  if (by_hand || lesson.lesson().lesson->student_copy) return;
  next_button(lesson, "Show answer");
  if (ring_button(lesson, "Show answer")) commands.push(cmd::reveal(question.id));
  hover_text("The question is closed then, without further points");
}

void heading(LessonContext& lesson, const Question& question) {
  const Look& look = lesson.look();
  const auto& whole = *lesson.lesson().lesson;
  const int number = whole.number_of(question);
  const auto& one = lesson.lesson().progress.of(question.id);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (!lesson.lesson().lecture && one.state != State::unanswered)
    verdict_icon(look, {at.x + lesson.width - look.px(8), at.y + look.px(8)}, 7,
                 one.gave_up ? State::by_hand : one.state);
  caption(look, fmt::format("Question {} of {} · {}", number, whole.questions.size(),
                            points_text(question.points)));
  if (!question.title.empty())
    draw_words(look, question.title, lesson.width - look.px(22), {16, 0, true});
  vertical_gap(look, 4);
}

void lecture_form(LessonContext& lesson, const Question& question,
                  const QuestionState& question_state) {
  const bool shown = lesson.lesson().revealed.contains(question.id);
  draw_hands(lesson, question, question_state);
  vertical_gap(lesson.look(), 8);
  if (ring_button(lesson, shown ? "Hide the answer###show" : "Reveal the answer###show", !shown))
    lesson.context.commands.push(cmd::reveal(question.id));
  if (!shown) return;
  vertical_gap(lesson.look(), 10);
  solution(lesson, question, question_state);
}

}  // namespace

void draw_question(LessonContext& lesson, QuestionMemory& memory, const Question& question) {
  const Look& look = lesson.look();
  const auto& p = look.palette();
  const float outside = lesson.width;
  const Card card = begin_card(lesson, question.id.c_str(), p.bar, p.panel_edge);
  lesson.width = card.inner;
  heading(lesson, question);
  const QuestionState* question_state = lesson.lesson().question_state(question.id);
  if (question_state == nullptr || (!question_state->ready && question_state->problem.empty())) {
    lesson.text(question.prompt.find('{') == std::string::npos ? question.prompt : "…", card.inner);
  } else {
    lesson.text(question_state->prompt, card.inner);
    vertical_gap(look, 8);
    if (lesson.lesson().lecture) {
      lecture_form(lesson, question, *question_state);
    } else {
      const auto& one = lesson.lesson().progress.of(question.id);
      const bool by_hand = one.state == State::by_hand && !one.gave_up;
      const bool open = !lesson.lesson().closed(question) || by_hand;
      bool check = draw_answer(lesson, memory, question, *question_state, open) && open;
      vertical_gap(look, 8);
      if (open) hints(lesson, question, *question_state);
      lesson.right = card.low.x + outside - card.pad;
      if (open) buttons(lesson, question, *question_state, check);
      if (check) lesson.context.commands.push(cmd::check(question.id));
      if (one.state != State::unanswered || one.gave_up || question_state->checking ||
          !question_state->problem.empty()) {
        vertical_gap(look, open ? 6 : 0);
        feedback(lesson, question, *question_state);
      }
      if (lesson.lesson().closed(question)) {
        vertical_gap(look, 10);
        solution(lesson, question, *question_state);
      }
    }
  }
  lesson.width = outside;
  end_card(lesson, card);
}

}  // namespace rankscope::gui
