// Lays the words and buttons of a row out, in one line or two.
#include "gui/views/scene/answer_row.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "lessons/grading/sealed_formula.h"

namespace rankscope::gui {
namespace {

constexpr double kAnswerLine = 38, kAnswerButton = 30, kAnswerPadding = 12, kAnswerGap = 8;

struct RowButton {
  std::string label, tip;
  Command command;
  bool main = false, enabled = true;
};
struct AnswerRow {
  std::string words;
  ImU32 color = 0;
  std::vector<RowButton> buttons;
  bool any() const noexcept { return !words.empty(); }
};

const Question* question_now(const ViewContext& context, AnswerPlace at) {
  if (at == AnswerPlace::code) return context.state.lesson.in_picture(AnswerPicture::Is::line);
  for (const auto is : {AnswerPicture::Is::messages, AnswerPicture::Is::contributions})
    if (const Question* found = context.state.lesson.in_picture(is)) return found;
  return nullptr;
}

std::string advice_for(const ViewContext& context, const AnswerForm& form, AnswerPlace at) {
  if (at == AnswerPlace::small)
    return "This picture is too small to tap at: double-click its title, or type in the lesson.";
  switch (form.picture.is) {
    case AnswerPicture::Is::line: return "Click the line that is at fault.";
    case AnswerPicture::Is::contributions:
      return form.picture.after < 0
                 ? "Tap the ranks whose data each chunk holds at the end."
                 : fmt::format("Tap the ranks whose data each chunk holds after step {}.",
                               form.picture.after);
    case AnswerPicture::Is::messages:
      return form.rows
                 ? fmt::format("Step {}: drag from sender to receiver, from a chunk to name it.",
                               context.state.lesson.asked.step)
                 : "Drag from the sender to the receiver; begin on a chunk to name it.";
    case AnswerPicture::Is::none: break;
  }
  return {};
}

void add_steps(AnswerRow& row, const AskedQuestion& asked) {
  const auto step = [&](int to) { return cmd::ask(asked.question, to); };
  row.buttons.push_back(
      {"Back", "Draws the step before", step(asked.step - 1), false, asked.step > 1});
  row.buttons.push_back({"Next step", "The step that is drawn happens; then the next one is drawn",
                         step(asked.step + 1)});
}

AnswerRow row_of(const ViewContext& context, AnswerPlace at) {
  AnswerRow row;
  const auto& lesson = context.state.lesson;
  const Question* const question = question_now(context, at);
  if (question == nullptr) return row;
  const QuestionState& asked = *lesson.question_state(question->id);
  const QuestionProgress& progress = lesson.progress.of(question->id);
  const auto& p = context.look.palette();
  const bool closed = lesson.closed(*question);
  const auto& parting = lesson.prediction.parting;
  const bool judged = !asked.edited && !asked.checking && progress.attempts > 0;
  if (asked.checking) {
    row.words = "Checking …";
    row.color = p.muted;
  } else if (!asked.problem.empty()) {
    row.words = asked.problem;
    row.color = p.warning;
  } else if (parting) {
    row.words = parting->says;
    row.color = p.warning;
  } else if (judged && progress.state == Verdict::State::right) {
    row.words = progress.says.empty() ? "Right." : "Right. " + progress.says;
    row.color = p.good;
  } else if (judged && progress.state == Verdict::State::not_graded) {
    row.words = progress.says;
    row.color = p.accent;
  } else if (judged && !closed) {
    row.words = progress.says.empty() ? "Not right." : progress.says;
    row.color = p.warning;
  } else {
    row.words = closed ? "This question is closed." : advice_for(context, asked.form, at);
    row.color = closed ? p.muted : p.text;
  }
  if (parting)
    row.buttons.push_back(
        {"Show where", "Moves the cursor to the step in which they part", cmd::parting(), true});
  if (!closed && asked.form.rows) add_steps(row, lesson.asked);
  if (!closed && !lesson.lecture)
    row.buttons.push_back(is_judged_here(*question)
                              ? RowButton{"Check", "Judges the answer, as in the lesson",
                                          cmd::check(question->id), !parting, !asked.checking}
                              : RowButton{"Keep", "Keeps the answer, to be handed in",
                                          cmd::check(question->id), !parting, !asked.checking});
  return row;
}

struct RowPlaces {
  std::vector<float> widths;
  float buttons = 0;         ///< All of them, with gaps.
  float room = 0, text = 0;  ///< For the words, and how high they are.
  bool below = false;        ///< The buttons stand below the words.
  float height = 0;
};

/// Returns the row of the question who can move; without words if none is open.
AnswerRow ask_row(const ViewContext& context) {
  AnswerRow row;
  const auto& question = context.state.moves;
  if (!question.asked) return row;
  row.color = context.look.palette().text;
  row.words =
      question.checked ? question.says : "Who can move? Click the ranks that can go on now.";
  row.buttons.push_back(
      question.checked
          ? RowButton{"Ask again", "The same question, without an answer", cmd::who_can_move_ask()}
          : RowButton{"Check", "Shows which ranks can move", cmd::who_can_move_check(), true});
  row.buttons.push_back({"Close", "Ends the question", cmd::who_can_move_off()});
  return row;
}

RowPlaces places_of(const ViewContext& context, const AnswerRow& row, float width) {
  const Look& look = context.look;
  const auto face = look.face({14, Font::Weight::semibold, false});
  const float line = look.px(kAnswerLine);
  RowPlaces places;
  for (const RowButton& one : row.buttons) {
    places.widths.push_back(face.extent(one.label).x + look.px(24));
    places.buttons += places.widths.back() + look.px(kAnswerGap);
  }
  const float all = width - 2 * look.px(kAnswerPadding);
  places.below = face.extent(row.words).x + places.buttons > all && !row.buttons.empty();
  places.room = places.below ? all : all - places.buttons;
  const float words = look.text_size(row.words, 14, Font::Weight::semibold, places.room).y;
  places.text = std::max(line, words + look.px(14));
  places.height = places.text + (places.below ? line : 0);
  return places;
}

float height_of(const ViewContext& context, const AnswerRow& row, float width) {
  return row.any() ? places_of(context, row, width).height : 0;
}

void draw_row(ViewContext& context, const AnswerRow& row, float width, const char* id) {
  if (!row.any()) return;
  const Look& look = context.look;
  const auto& p = look.palette();
  const RowPlaces places = places_of(context, row, width);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float line = look.px(kAnswerLine), pad = look.px(kAnswerPadding);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, {low.x + width, low.y + places.height}, p.panel);
  list.AddLine(low, {low.x + width, low.y}, p.panel_edge);
  look.push(14, Font::Weight::semibold);
  const float words = ImGui::CalcTextSize(row.words.c_str(), nullptr, false, places.room).y;
  ImGui::SetCursorScreenPos({low.x + pad, low.y + (places.text - words) / 2});
  colored_lines(row.color, row.words, ImGui::GetCursorPosX() + places.room);
  Look::pop();
  float x = places.below ? low.x + pad : low.x + width - pad - places.buttons + look.px(kAnswerGap);
  const float y = low.y + (places.below ? places.text : (places.text - line) / 2) +
                  (line - look.px(kAnswerButton)) / 2;
  ImGui::PushID(id);
  for (std::size_t i = 0; i < row.buttons.size(); ++i) {
    const RowButton& one = row.buttons[i];
    ImGui::SetCursorScreenPos({x, y});
    const ImVec2 size{places.widths[i], look.px(kAnswerButton)};
    if (!one.enabled) ImGui::BeginDisabled();
    const bool pressed = one.main ? accent_button(look, one.label.c_str(), size, 14)
                                  : ImGui::Button(one.label.c_str(), size);
    if (!one.enabled) ImGui::EndDisabled();
    if (pressed) context.commands.push(one.command);
    hover_text(one.tip);
    x += size.x + look.px(kAnswerGap);
  }
  ImGui::PopID();
}

}  // namespace

float answer_row_height(const ViewContext& context, float width, AnswerPlace at) {
  return height_of(context, row_of(context, at), width);
}

void draw_answer_row(ViewContext& context, float width, AnswerPlace at) {
  draw_row(context, row_of(context, at), width, "answer-row");
}

bool pick_live(ViewContext& context, const std::string& group) {
  const auto& state = context.state;
  int rank = -1, strand = 0;
  if (std::sscanf(group.c_str(), "offer-%d-%d", &rank, &strand) == 2) {
    if (!state.live.ordered) context.commands.push(cmd::release(rank, strand));
    return true;
  }
  if (!state.moves.asked || state.moves.checked) return false;
  if (std::sscanf(group.c_str(), "rank-%d", &rank) != 1 &&
      std::sscanf(group.c_str(), "cell-%d-", &rank) != 1)
    return false;
  context.commands.push(cmd::moves(rank));
  return true;
}

void ask_button(ViewContext& context) {
  const auto& state = context.state;
  if (!state.live.stepping) return;
  if (head_button(context, "who can move?", state.moves.asked,
                  "Covers what is on offer, and asks which ranks can move"))
    context.commands.push(state.moves.asked ? cmd::who_can_move_off() : cmd::who_can_move_ask());
}

float ask_height(const ViewContext& context, float width) {
  return height_of(context, ask_row(context), width);
}

void draw_ask(ViewContext& context, float width) {
  draw_row(context, ask_row(context), width, "ask-row");
}

}  // namespace rankscope::gui
