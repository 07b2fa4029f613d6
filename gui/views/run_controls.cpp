// Draws the chip and the buttons of the run, as many as leave room for the sentence.
#include "gui/views/run_controls.h"

#include <string>
#include <vector>

#include "gui/state/model/state_chip.h"

namespace rankscope::gui {
namespace {

constexpr double kLeastSentence = 130;  // "Allreduce …"

struct RunButton {
  const char* label;
  const CommandInfo* command;
  const char* tip;
  bool primary = false;
};

/// From right to left; the first may go where there is no room.
std::vector<RunButton> run_buttons(const LiveState& live) {
  const RunButton hold{"Hold", &cmd::gate_pause, "Holds every rank before its next message (F7)"},
      stop{"Stop", &cmd::stop, "Ends the run (Shift+F5)"};
  if (live.running && !live.stepping) return {hold, stop};
  if (!live.running)
    return {{"Step live", &cmd::live, "Holds every rank before each message (F6)"},
            {"Run", &cmd::run, "Runs it in real processes (Ctrl+R)", true}};
  std::vector<RunButton> all = {
      {"Let it run", &cmd::gate_resume, "Until a breakpoint, or the end (F8)"},
      {"One round", &cmd::release_round, "Lets all messages of the next round go (Shift+F10)"},
      {"One message", &cmd::release, "Lets one message go, and its receiver take it (F10)", true}};
  if (live.resumed) all.push_back(hold);
  all.push_back(stop);
  return all;
}

}  // namespace

float draw_run_controls(ViewContext& context, bool runs) {
  using Kind = StateChip::Kind;
  const Look& look = context.look;
  const auto& p = look.palette();
  const auto& live = context.state.live;
  const StateChip chip = state_chip(context.state);
  const ImU32 color = chip.kind == Kind::good   ? p.good
                      : chip.kind == Kind::busy ? p.warning
                      : chip.kind == Kind::bad  ? p.error
                                                : p.muted;
  look.push(12, Font::Weight::semibold);
  const std::string text = fitted_parts(chip.text, ImGui::GetWindowWidth() * 0.24F);
  const float high = look.px(26), middle = ImGui::GetWindowHeight() / 2;
  const float wide = ImGui::CalcTextSize(text.c_str()).x + look.px(24);
  float x = ImGui::GetWindowWidth() - wide;
  ImGui::SetCursorPos({x, middle - high / 2});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + wide, at.y + high}, with_alpha(color, 0x24), high / 2);
  list.AddRect(at, {at.x + wide, at.y + high}, color, high / 2);
  ImGui::SetCursorPos({x + look.px(12), middle - ImGui::GetTextLineHeight() / 2});
  colored_text(color, text);
  Look::pop();
  x -= look.px(12);
  if (!runs) return x;
  look.push(14, Font::Weight::semibold);
  const auto size_of = [&](const RunButton& one) {
    return ImVec2{ImGui::CalcTextSize(one.label).x + look.px(one.primary ? 40 : 24), look.px(30)};
  };
  auto buttons = run_buttons(live);
  // Those that are in no hurry leave room for the sentence: they have keys, and lines in the menu.
  float all = 0;
  for (const RunButton& one : buttons) all += size_of(one).x + look.px(6);
  while (buttons.size() > 2 && x - all < look.px(kLeastSentence)) {
    all -= size_of(buttons.front()).x + look.px(6);
    buttons.erase(buttons.begin());
  }
  for (const RunButton& one : buttons) {
    const ImVec2 size = size_of(one);
    x -= size.x;
    ImGui::SetCursorPos({x, middle - size.y / 2});
    const bool pressed =
        one.primary ? accent_button(look, one.label, size, 14) : ImGui::Button(one.label, size);
    if (pressed) context.commands.push(Command(*one.command));
    hover_text(one.tip);
    x -= look.px(6);
  }
  Look::pop();
  return x;
}

}  // namespace rankscope::gui
