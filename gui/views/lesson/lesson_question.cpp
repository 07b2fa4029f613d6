// Draws a question: its points, answer fields, hints, verdict and solution.
#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "gui/views/lesson/lesson_parts.h"
#include "lessons/grading/grade.h"
#include "lessons/grading/sealed_formula.h"
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

std::string points_line(const LessonState& lesson, const Question& question,
                        const QuestionProgress& one) {
  const bool better = one.points > 0 && one.points < question.points;
  const double scale = lesson.course_scale(question.id, question.points);
  const std::string most = points_text(question.points * scale);
  std::string out = is_kept(one) && one.points == 0
                        ? "worth " + most
                        : fmt::format("{}{} of {}", better ? "best so far " : "",
                                      short_number(one.points * scale), most);
  if (one.hints > 0)
    out += fmt::format(" · {} hint{} opened", one.hints, one.hints == 1 ? "" : "s");
  if (one.attempts > 1 && !is_kept(one)) out += fmt::format(" · {} attempts", one.attempts);
  if (one.seen) out += " · after the run was seen";
  return out;
}

// Nobody has judged it: what lacks would be seen only when it is graded.
std::string empty_cells(const Question& question, const QuestionState& question_state) {
  const auto& cells = question_state.form.fields;
  const auto empty = ranges::count_if(cells, [&](const AnswerField& cell) {
    return field_text(question_state.draft, cell.name).empty();
  });
  if (question.kind == nullptr || question.kind->name() != "table" || empty == 0) return "";
  return fmt::format(" · {} of {} cells are empty", empty, cells.size());
}

bool is_practice(const LessonState& lesson, const Question& question) {
  return lesson.course() != nullptr && lesson.item_of(question.id) == nullptr;
}

/// Says of an answer that was changed, as answer_to_hand_in() has it, what is handed in.
void changed(LessonContext& lesson, const Question& question, const QuestionProgress& one) {
  const QuestionState& now = *lesson.lesson().question_state(question.id);
  const bool judged = is_judged_here(question), first = one.state == State::unanswered;
  const std::string was = judged ? "checked" : "kept";
  const std::string fault =
      judged ? "" : fault_in_form(question, {lesson.lesson().progress.seed, now.values}, now.draft);
  verdict_box(lesson, fault.empty() ? State::not_graded : State::malformed,
              first ? "Not " + was + " yet" : "Changed, not " + was + " yet",
              blank(now.draft) ? "The field is empty: the answer before it is handed in."
              : !fault.empty()
                  ? fmt::format("{}: {}",
                                first ? "This cannot be read"
                                      : "This cannot be read, so the answer before it is handed in",
                                fault)
              : !judged ? "It is handed in as it stands here."
              : first   ? "Check it, or it is not handed in."
                        : "Check it, or the best answer before it is handed in.",
              "");
}

void feedback(LessonContext& lesson, const Question& question,
              const QuestionState& question_state) {
  const QuestionProgress& one = lesson.lesson().progress.of(question.id);
  if (question_state.checking) {
    return draw_words(lesson.look(), "Checking …", lesson.width,
                      {14, lesson.look().palette().muted});
  }
  if (!question_state.problem.empty()) {
    const bool none = question_state.ready && blank(question_state.draft);
    return verdict_box(lesson, none ? State::unanswered : State::malformed,
                       none                   ? "No answer yet"
                       : question_state.ready ? "This cannot be read"
                                              : "This question has a fault",
                       none ? "" : question_state.problem,
                       question_state.unread ? "The fields are as they were before."
                       : question.attempts > 0 && !none && is_judged_here(question)
                           ? "This did not use up an attempt."
                           : "");
  }
  if (one.gave_up)
    return verdict_box(lesson, State::not_graded, "The answer was shown",
                       "This question is closed.", points_line(lesson.lesson(), question, one));
  if (question_state.edited && one.state != State::right) {
    const bool none = one.state == State::unanswered && blank(question_state.draft);
    if (!none && lesson.lesson().item_of(question.id) != nullptr) changed(lesson, question, one);
    return;
  }
  if (one.state == State::unanswered) return;
  std::string last = points_line(lesson.lesson(), question, one);
  if (is_kept(one)) last += " · you can change it" + empty_cells(question, question_state);
  else if (question.attempts > 0 && one.state != State::right)
    last += fmt::format(" · {} attempts left", std::max(question.attempts - one.attempts, 0));
  const bool over = one.state == State::wrong && is_done(question, one);
  // A copy's practice questions are not handed in, so nobody grades them.
  const bool here = one.state == State::not_graded && is_practice(lesson.lesson(), question);
  verdict_box(lesson, one.state, over ? "Not right" : word_of(one.state),
              here ? "Kept here for yourself: practice is not handed in." : one.says, last);
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
    const auto& fields = question_state.form.fields;
    if (!fields.empty() && fields.front().type == AnswerField::Type::order)
      for (const char letter : letters_in(question_state.solution))
        if (const auto which = static_cast<std::size_t>(letter - 'a');
            which < fields.front().options.size())
          lesson.text(fmt::format("**{})** {}", letter, fields.front().options[which]),
                      lesson.width);
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

/// Returns the words of the button that shows the answer; empty if there is none.
const char* show_words(const Question& question) {
  if (!kept_back(question).empty()) return "";
  const bool by_hand = question.kind != nullptr && question.kind->marked_by_hand();
  if (by_hand) return model_answer(question).empty() ? "" : "Show a good answer";
  return "Show answer";
}

/// Asks before an answer is shown, since nothing takes that back.
void ask_to_show(LessonContext& lesson, QuestionMemory& memory, const Question& question) {
  const Look& look = lesson.look();
  const auto& one = lesson.lesson().progress.of(question.id);
  const bool by_hand = question.kind != nullptr && question.kind->marked_by_hand();
  const double scale = lesson.lesson().course_scale(question.id, question.points);
  vertical_gap(look, 6);
  draw_words(
      look,
      by_hand ? fmt::format("Show a good answer? Your answer stays as it is then, and is what is "
                            "handed in{}.",
                            one.attempts == 0 ? ": there is none yet" : "")
              : fmt::format("Show the answer? The question is closed then: you keep {} of {}, and "
                            "cannot get more.",
                            short_number(one.points * scale), points_text(question.points * scale)),
      lesson.width, {14, look.palette().warning, true});
  vertical_gap(look, 4);
  if (ring_button(lesson, "Show it, and close the question")) {
    lesson.context.commands.push(cmd::reveal(question.id));
    memory.shows.clear();
  }
  next_button(lesson, "Keep trying");
  if (ring_button(lesson, "Keep trying", true)) memory.shows.clear();
}

void buttons(LessonContext& lesson, QuestionMemory& memory, const Question& question,
             const QuestionState& question_state, bool& check) {
  const Look& look = lesson.look();
  const auto& one = lesson.lesson().progress.of(question.id);
  auto& commands = lesson.context.commands;
  if (ring_button(lesson, is_judged_here(question) ? "Check" : "Keep###Check", true, look.px(96),
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
    hover_text("Hints cost no points");
  }
  const char* const shows = show_words(question);
  if (*shows == 0) return;
  next_button(lesson, shows);
  if (ring_button(lesson, shows)) memory.shows = question.id;
  hover_text("Asks first: the question is closed then, without further points");
  if (memory.shows == question.id) ask_to_show(lesson, memory, question);
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
  const LessonState& state = lesson.lesson();
  const bool practice = is_practice(state, question);
  const double most = question.points * state.course_scale(question.id, question.points);
  caption(look, fmt::format("Question {} of {} · {}", number, whole.questions.size(),
                            practice ? std::string("practice, not part of your course")
                                     : points_text(most)));
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

constexpr int kLooks = 4;

// The verdict that was asked for comes into sight.
void look_at_verdict(LessonContext& lesson, QuestionMemory& memory) {
  if (memory.looks == 0) return;
  --memory.looks;
  lesson.looks_at_verdict = true;
  const float low = ImGui::GetItemRectMax().y + lesson.look().px(12),
              end = ImGui::GetWindowPos().y + ImGui::GetWindowHeight();
  if (low > end) ImGui::SetScrollY(ImGui::GetScrollY() + low - end);
  settle(lesson);
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
      const bool open = !lesson.lesson().closed(question);
      bool check = draw_answer(lesson, memory, question, *question_state, open) && open;
      vertical_gap(look, 8);
      if (open) hints(lesson, question, *question_state);
      lesson.right = card.low.x + outside - card.pad;
      if (open) buttons(lesson, memory, question, *question_state, check);
      if (check) {
        lesson.context.commands.push(cmd::check(question.id));
        memory.judged = question.id;
        memory.looks = kLooks;
      }
      if (one.state != State::unanswered || one.gave_up || question_state->checking ||
          question_state->edited || !question_state->problem.empty()) {
        vertical_gap(look, open ? 6 : 0);
        feedback(lesson, question, *question_state);
        if (!open || (!question_state->edited && (is_kept(one) || one.state == State::right)))
          next_in_course(lesson, question.id);
        if (memory.judged == question.id && !question_state->checking)
          look_at_verdict(lesson, memory);
      }
      if (!open && kept_back(question).empty()) {
        vertical_gap(look, 10);
        solution(lesson, question, *question_state);
      }
    }
  }
  lesson.width = outside;
  end_card(lesson, card);
}

namespace {

/// An option with its show of hands, which its row's bar shows.
struct Option {
  char letter = 'a';
  const std::string& text;
  int hands = 0, most = 1;
  bool right = false, counted = true;
};

void counter(LessonContext& lesson, const Question& question, const Option& option) {
  const auto change = [&](const char* by) {
    lesson.context.commands.push(cmd::hands(question.id, std::string(1, option.letter), by));
  };
  const Look& look = lesson.look();
  if (ring_button(lesson, "–", false, look.px(34))) change("-1");
  ImGui::SameLine(0, look.px(8));
  ImGui::Text("%3d", option.hands);
  ImGui::SameLine(0, look.px(8));
  if (ring_button(lesson, "+", false, look.px(34))) change("+1");
}

void row(LessonContext& lesson, const Question& question, const Option& option) {
  const Look& look = lesson.look();
  const ImU32 color = option.right ? look.palette().good : look.palette().accent;
  const float side = option.counted ? look.px(128) : 0, left = look.px(22);
  const ImVec2 at = ImGui::GetCursorPos(), screen = ImGui::GetCursorScreenPos();
  if (option.right)
    verdict_icon(look, {screen.x + look.px(8), screen.y + look.px(10)}, 7, Verdict::State::right);
  ImGui::SetCursorPosX(at.x + left);
  ImGui::BeginGroup();
  lesson.text(fmt::format("**{})** {}", option.letter, option.text), lesson.width - side - left,
              {14, option.right ? look.palette().good : 0});
  ImGui::EndGroup();
  float bottom = ImGui::GetCursorPosY();
  if (option.counted) {
    ImGui::SetCursorPos({at.x + lesson.width - side + look.px(8), at.y - look.px(2)});
    counter(lesson, question, option);
    bottom = std::max(bottom, ImGui::GetCursorPosY());
  }
  ImGui::SetCursorPos({at.x, bottom});
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float room = lesson.width - left;
  const float wide = room * static_cast<float>(option.hands) / static_cast<float>(option.most);
  if (option.hands > 0)
    ImGui::GetWindowDrawList()->AddRectFilled(
        {low.x + left, low.y}, {low.x + left + wide, low.y + look.px(4)}, color, look.px(2));
  vertical_gap(look, option.counted ? 10 : 2);
}

}  // namespace

void draw_hands(LessonContext& lesson, const Question& question,
                const QuestionState& question_state) {
  if (question_state.form.fields.empty() || question_state.form.rows) return;
  const AnswerField& field = question_state.form.fields.front();
  const bool shown = lesson.lesson().revealed.contains(question.id);
  const bool counted = field.type != AnswerField::Type::order;
  const std::string right = shown && counted ? letters_in(question_state.solution) : "";
  const int most =
      question_state.hands.empty() ? 1 : std::max(1, *ranges::max_element(question_state.hands));
  for (std::size_t i = 0; i < field.options.size() && i < question_state.hands.size(); ++i) {
    const char letter = static_cast<char>('a' + i);
    ImGui::PushID(static_cast<int>(i));
    row(lesson, question,
        {letter, field.options[i], question_state.hands[i], most,
         right.find(letter) != std::string::npos, counted});
    ImGui::PopID();
  }
}

namespace {

// "the run and its picture"
std::string what_opens(const LockedBlocks& locked) {
  if (locked.runs + locked.figures == 0) return "the text";
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
  const bool one = locked.runs + locked.figures <= 1;
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

void lock_buttons(LessonContext& lesson, QuestionMemory& memory, const LockedBlocks& locked,
                  const Question& first, bool parts) {
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
  if (!by_hand && !state.lecture && kept_back(first).empty()) {
    next_button(lesson, "Give up …");
    if (ring_button(lesson, "Give up …")) {
      memory.shows = first.id;
      commands.push(cmd::lesson_to(first.id));
    }
    hover_text("Asks first: shows the right answer and opens the run, without further points");
  }
  if (first.student_copy || (!state.lecture && !state.lecturer)) return;
  next_button(lesson, "Unlock");
  if (ring_button(lesson, "Unlock"))
    commands.push(cmd::unlock(locked.id.empty() ? first.id : locked.id));
  hover_text("For lecturers: opens it without an answer");
}

}  // namespace

void draw_locked(LessonContext& lesson, QuestionMemory& memory, const LockedBlocks& locked) {
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
  lock_buttons(lesson, memory, locked, first, parts);
  ImGui::Unindent(left);
  lesson.width = outside;
  end_card(lesson, card);
}

}  // namespace rankscope::gui
