// A show of hands, counted by hand.
#include <algorithm>

#include <fmt/format.h>

#include "gui/views/lesson/lesson_question.h"

namespace rankscope::gui {
namespace {

/// An option with what there is to count; its row's bar is as long as it has hands.
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
  const int most = question_state.hands.empty()
                       ? 1
                       : std::max(1, *std::max_element(question_state.hands.begin(),
                                                       question_state.hands.end()));
  for (std::size_t i = 0; i < field.options.size() && i < question_state.hands.size(); ++i) {
    const char letter = static_cast<char>('a' + i);
    ImGui::PushID(static_cast<int>(i));
    row(lesson, question,
        {letter, field.options[i], question_state.hands[i], most,
         right.find(letter) != std::string::npos, counted});
    ImGui::PopID();
  }
}

}  // namespace rankscope::gui
