// Turns clicks on a held run's picture into commands, and draws the question who can move.
#include "gui/views/scene/live_scene.h"

#include <cstdio>

#include <fmt/format.h>

namespace rankscope::gui {
namespace {

constexpr double kAskRow = 42, kAskButton = 30, kAskPadding = 12;

}  // namespace

bool pick_live(ViewContext& context, const std::string& group) {
  const auto& state = context.state;
  int rank = -1, strand = 0;
  if (std::sscanf(group.c_str(), "offer-%d-%d", &rank, &strand) == 2) {
    if (!state.live.ordered)
      context.commands.push("release", {fmt::format("{}", rank), fmt::format("{}", strand)});
    return true;
  }
  if (!state.moves.asked || state.moves.checked) return false;
  if (std::sscanf(group.c_str(), "rank-%d", &rank) != 1 &&
      std::sscanf(group.c_str(), "cell-%d-", &rank) != 1)
    return false;
  context.commands.push("moves", {fmt::format("{}", rank)});
  return true;
}

void ask_button(ViewContext& context) {
  const auto& state = context.state;
  if (!state.live.stepping) return;
  if (head_button(context, "who can move?", state.moves.asked,
                  "Covers what is on offer, and asks which ranks can move"))
    context.commands.push("who-can-move", {state.moves.asked ? "off" : "ask"});
}

float ask_height(const ViewContext& context) {
  return context.state.moves.asked ? context.look.px(kAskRow) : 0;
}

void draw_ask(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const auto& question = context.state.moves;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float high = look.px(kAskRow), pad = look.px(kAskPadding), button = look.px(kAskButton);
  list.AddRectFilled(low, {low.x + width, low.y + high}, p.panel);
  list.AddLine(low, {low.x + width, low.y}, p.panel_edge);
  const auto face = look.face({14, Font::Weight::semibold, false});
  const float check = look.px(84), close = look.px(72), gap = look.px(8);
  float x = low.x + width - pad - close;
  const float y = low.y + (high - button) / 2;
  ImGui::SetCursorScreenPos({x, y});
  if (ImGui::Button("Close##ask", {close, button})) context.commands.push("who-can-move", {"off"});
  x -= gap + check;
  ImGui::SetCursorScreenPos({x, y});
  if (question.checked) {
    if (ImGui::Button("Ask again##ask", {check, button}))
      context.commands.push("who-can-move", {"ask"});
  } else if (accent_button(look, "Check", {check, button}, 14)) {
    context.commands.push("who-can-move", {"check"});
  }
  const std::string words =
      question.checked ? question.says : "Who can move? Click the ranks that can go on now.";
  look.push(14, Font::Weight::semibold);
  const std::string fitted = fitted_text(words, x - low.x - pad - gap);
  Look::pop();
  face.draw(list, {low.x + pad, low.y + (high - face.size) / 2}, p.text, fitted);
}

}  // namespace rankscope::gui
