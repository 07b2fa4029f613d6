// Turns clicks on a held run's picture into commands, and draws the question who can move.
#include "gui/views/scene/live_scene.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace rankscope::gui {
namespace {

constexpr double kAskRow = 42, kAskButton = 30, kAskPadding = 12, kAskGap = 8;
constexpr double kAskCheck = 96, kAskClose = 72;

struct AskRow {
  std::string words;
  float room = 0, text = 0;  ///< For the words, and how high they are.
  float words_height = 0, height = 0;
};

// Beside the buttons, in short if need be, or above them.
AskRow ask_row(const ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& question = context.state.moves;
  const float all = width - 2 * look.px(kAskPadding), line = look.px(kAskRow);
  const float beside = all - look.px(kAskCheck + kAskClose + 2 * kAskGap);
  AskRow row;
  look.push(14, Font::Weight::semibold);
  const auto wide = [&] { return ImGui::CalcTextSize(row.words.c_str()).x; };
  row.words =
      question.checked ? question.says : "Who can move? Click the ranks that can go on now.";
  if (!question.checked && wide() > beside) row.words = "Click the ranks that can go on.";
  const bool above = wide() > beside;
  row.room = above ? all : beside;
  row.text = ImGui::CalcTextSize(row.words.c_str(), nullptr, false, row.room).y;
  Look::pop();
  row.words_height = above ? row.text + look.px(10) : std::max(line, row.text + look.px(10));
  row.height = row.words_height + (above ? line : 0);
  return row;
}

}  // namespace

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
  return context.state.moves.asked ? ask_row(context, width).height : 0;
}

void draw_ask(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const AskRow row = ask_row(context, width);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = look.px(kAskRow), pad = look.px(kAskPadding), button = look.px(kAskButton);
  list.AddRectFilled(low, {low.x + width, low.y + row.height}, p.panel);
  list.AddLine(low, {low.x + width, low.y}, p.panel_edge);
  look.push(14, Font::Weight::semibold);
  ImGui::SetCursorScreenPos({low.x + pad, low.y + (row.words_height - row.text) / 2});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + row.room);
  colored_text(p.text, row.words);
  ImGui::PopTextWrapPos();
  Look::pop();
  const float check = look.px(kAskCheck), close = look.px(kAskClose);
  const float y = low.y + row.height - (line + button) / 2;
  float x = low.x + width - pad - close;
  ImGui::SetCursorScreenPos({x, y});
  if (ImGui::Button("Close##ask", {close, button})) context.commands.push(cmd::who_can_move_off());
  x -= look.px(kAskGap) + check;
  ImGui::SetCursorScreenPos({x, y});
  if (context.state.moves.checked) {
    if (ImGui::Button("Ask again##ask", {check, button}))
      context.commands.push(cmd::who_can_move_ask());
  } else if (accent_button(look, "Check", {check, button}, 14)) {
    context.commands.push(cmd::who_can_move_check());
  }
}

}  // namespace rankscope::gui
