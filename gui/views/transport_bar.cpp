// Draws the transport bar: playback buttons, scrubber, bookmarks and loop.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "gui/views/panels.h"

namespace rankscope::gui {
namespace {

/// Vector icons: the same on every system.
enum class Icon : std::uint8_t { play, pause, step, step_back, first, last };

void draw_icon(ImDrawList& list, Icon icon, ImVec2 c, float r, ImU32 color) {
  const auto triangle = [&](float from, float to) {
    list.AddTriangleFilled({c.x + from, c.y - r}, {c.x + from, c.y + r}, {c.x + to, c.y}, color);
  };
  const auto bar = [&](float x) {
    list.AddRectFilled({c.x + x - r * 0.16F, c.y - r}, {c.x + x + r * 0.16F, c.y + r}, color);
  };
  switch (icon) {
    case Icon::play: triangle(-r * 0.7F, r); break;
    case Icon::pause:
      list.AddRectFilled({c.x - r * 0.75F, c.y - r}, {c.x - r * 0.2F, c.y + r}, color, 1);
      list.AddRectFilled({c.x + r * 0.2F, c.y - r}, {c.x + r * 0.75F, c.y + r}, color, 1);
      break;
    case Icon::step:
      triangle(-r * 0.8F, r * 0.55F);
      bar(r * 0.75F);
      break;
    case Icon::step_back:
      list.AddTriangleFilled({c.x + r * 0.8F, c.y - r}, {c.x + r * 0.8F, c.y + r},
                             {c.x - r * 0.55F, c.y}, color);
      bar(-r * 0.75F);
      break;
    case Icon::first:
      list.AddTriangleFilled({c.x + r, c.y - r}, {c.x + r, c.y + r}, {c.x, c.y}, color);
      list.AddTriangleFilled({c.x, c.y - r}, {c.x, c.y + r}, {c.x - r * 0.9F, c.y}, color);
      bar(-r);
      break;
    case Icon::last:
      triangle(-r, 0);
      triangle(0, r * 0.9F);
      bar(r);
      break;
  }
}

// Writes the moment and, without a curtain, the end of the run.
std::string moment_text(const AppState& state, double end) {
  const Playback& play = state.playback;
  if (state.curtain() && play.clock == ClockBase::rounds)
    return fmt::format("step {:.0f}", std::max(0.0, std::ceil(play.moment - 1e-6)));
  if (play.clock == ClockBase::measured) {
    const Unit unit = Unit::of_moments(end);
    const double whole = end * 1e3 / unit.size, now = play.moment * 1e3;
    const int digits = whole >= 100 ? 0 : whole >= 10 ? 1 : 2;  // there is little room
    if (state.curtain()) return unit.named(now, digits);
    return fmt::format("{:.{}f} of {}", now / unit.size, digits, unit.named(end * 1e3, digits));
  }
  const double whole = std::round(play.moment);
  if (std::abs(play.moment - whole) < 1e-6) return fmt::format("step {:.0f} of {:.0f}", whole, end);
  return fmt::format("step {:.0f} of {:.0f}", std::ceil(play.moment), end);
}

// Draws the scrubber: line, marks of phases and bookmarks, loop, knob.
void scrubber(ViewContext& context, float width) {
  const auto& state = context.state;
  const Look& look = context.look;
  const auto& p = look.palette();
  const auto& play = state.playback;
  const double end = state.has_trace() ? state.document->axis_end(play.clock) : 0;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float high = look.px(44), middle = low.y + look.px(14);
  const float from = low.x + look.px(10), room = width - look.px(20);
  ImGui::InvisibleButton("scrubber", {width, high});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto x_of = [&](double moment) {
    return from + room * static_cast<float>(end > 0 ? std::clamp(moment / end, 0.0, 1.0) : 0);
  };
  if (end > 0 && ImGui::IsItemActive()) {
    const double share =
        std::clamp(static_cast<double>((ImGui::GetIO().MousePos.x - from) / room), 0.0, 1.0);
    context.commands.push(cmd::seek({share * end, 4}));
  }
  list.AddRectFilled({from, middle - look.px(3)}, {from + room, middle + look.px(3)}, p.control,
                     look.px(3));
  if (play.loop)
    list.AddRectFilled({x_of(play.loop->first), middle - look.px(7)},
                       {x_of(play.loop->second), middle + look.px(7)}, p.selection, look.px(3));
  list.AddRectFilled({from, middle - look.px(3)}, {x_of(play.moment), middle + look.px(3)},
                     p.accent, look.px(3));
  if (!state.has_trace()) return;
  const auto face = look.face({12, Font::Weight::regular, false});
  look.push(12);
  float free_from = low.x;
  for (const auto& phase : state.document->phases(play.clock)) {
    const float a = x_of(phase.begin), b = x_of(phase.end);
    list.AddLine({a, middle - look.px(7)}, {a, middle + look.px(7)}, p.muted);
    if (phase.name.starts_with("step ")) continue;  // its number stands beside the line
    const std::string name = fitted_phase(phase.name, b - a - look.px(8));
    const ImVec2 size = ImGui::CalcTextSize(name.c_str());
    const float at = (a + b - size.x) / 2;
    if (at < free_from || size.x < look.px(32)) continue;
    face.draw(list, {at, middle + look.px(12)}, p.muted, name);
    free_from = at + size.x + look.px(8);
  }
  Look::pop();
  for (const auto& mark : state.bookmarks) {
    if (mark.clock != play.clock) continue;
    const float x = x_of(mark.moment);
    list.AddTriangleFilled({x - look.px(5), middle - look.px(13)},
                           {x + look.px(5), middle - look.px(13)}, {x, middle - look.px(5)},
                           p.warning);
    if (ImGui::IsItemHovered() && std::abs(ImGui::GetIO().MousePos.x - x) < look.px(6))
      ImGui::SetTooltip("%s", mark.note.empty() ? "bookmark" : mark.note.c_str());
  }
  if (state.holds()) {  // nothing has happened beyond the end
    const float x = x_of(state.document->end(play.clock));
    const ImVec2 size = face.extent("now");
    list.AddLine({x, middle - look.px(9)}, {x, middle + look.px(9)}, p.text, look.px(2));
    const float left = std::clamp(x - size.x / 2, low.x, low.x + width - size.x);
    face.draw(list, {left, middle - look.px(25)}, p.text, "now");
  }
  list.AddCircleFilled({x_of(play.moment), middle}, look.px(8), look.palette().text);
}

bool icon_button(const ViewContext& context, Icon icon, const char* tooltip, bool primary) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const float side = look.px(36);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImGui::PushID(static_cast<int>(icon));
  ImGui::PushStyleColor(ImGuiCol_Button, primary ? p.accent : p.control);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, primary ? p.accent : p.control_hovered);
  const bool pressed = ImGui::Button("##icon", {side, side});
  ImGui::PopStyleColor(2);
  ImGui::PopID();
  draw_icon(*ImGui::GetWindowDrawList(), icon, {low.x + side / 2, low.y + side / 2}, side * 0.2F,
            primary ? p.on_accent : p.text);
  hover_text(tooltip);
  return pressed;
}

void buttons(ViewContext& context) {
  const Look& look = context.look;
  const auto button = [&](Icon icon, const char* tip, bool primary, const CommandInfo& command) {
    const auto tooltip = fmt::format("{} ({})", tip, command.shortcut);
    if (icon_button(context, icon, tooltip.c_str(), primary))
      context.commands.push(Command(command));
    ImGui::SameLine(0, look.px(6));
  };
  button(Icon::first, "To the beginning", false, cmd::first);
  button(Icon::step_back, "One step back", false, cmd::play_step_back);
  button(context.state.playback.playing ? Icon::pause : Icon::play, "Play or pause", true,
         cmd::toggle_play);
  button(Icon::step, "One step", false, cmd::play_step);
  button(Icon::last, "To the end", false, cmd::last);
}

std::string times_text(double speed) {
  return speed < 10 ? fmt::format("{:.1f}\u00D7", speed) : fmt::format("{:.0f}\u00D7", speed);
}

void speed_slider(ViewContext& context, double width) {
  ImGui::SetNextItemWidth(context.look.px(width));
  auto speed = static_cast<float>(context.state.playback.speed);
  if (ImGui::SliderFloat("##speed", &speed, static_cast<float>(Playback::kSlowest),
                         static_cast<float>(Playback::kFastest), "",
                         ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoInput))
    context.commands.push(cmd::speed({speed, 2}));
  hover_text("Speed (+ and -): 1\xC3\x97 is one round per second");
}

double end_of(const AppState& state) {
  return state.has_trace() ? state.document->axis_end(state.playback.clock) : 0;
}

}  // namespace

void draw_transport_buttons(ViewContext& context) {
  const Look& look = context.look;
  const auto& play = context.state.playback;
  const float line = look.px(36) + look.px(12) + ImGui::GetFrameHeight();
  const float top = std::max(0.0F, (ImGui::GetWindowHeight() - line) / 2);
  ImGui::SetCursorPos({0, top});
  buttons(context);
  const float y = top + look.px(48);
  look.push(14, Font::Weight::semibold);
  ImGui::SetCursorPos({look.px(2), y + ImGui::GetStyle().FramePadding.y});
  ImGui::TextUnformatted(
      context.state.has_trace() ? moment_text(context.state, end_of(context.state)).c_str() : "");
  Look::pop();
  ImGui::SetCursorPos({look.px(122), y + ImGui::GetStyle().FramePadding.y});
  caption(look, times_text(play.speed));
  ImGui::SetCursorPos({look.px(154), y});
  speed_slider(context, 50);
}

void draw_transport_bar(ViewContext& context) {
  const Look& look = context.look;
  const auto& play = context.state.playback;
  const double end = end_of(context.state);
  ImGui::SetCursorPosY(look.px(11));
  buttons(context);
  // The scrubber matters more than the speed, which has keys, too.
  const bool slider = ImGui::GetWindowWidth() >= look.px(760);
  const double after = slider ? 148 : 48;
  const float right = look.px(142 + after);
  const float width = std::max(look.px(80), ImGui::GetContentRegionAvail().x - right);
  const float y = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(y + look.px(4));
  scrubber(context, width);
  ImGui::SameLine(0, look.px(10));
  ImGui::SetCursorPosY(y + look.px(9) - ImGui::GetStyle().FramePadding.y);  // the buttons' baseline
  look.push(14, Font::Weight::semibold);
  const std::string text = context.state.has_trace() ? moment_text(context.state, end) : "";
  ImGui::TextUnformatted(text.c_str());
  Look::pop();
  ImGui::SetCursorPos({ImGui::GetWindowWidth() - look.px(after), y + look.px(9)});
  ImGui::TextUnformatted(times_text(play.speed).c_str());
  if (!slider) return;
  ImGui::SetCursorPos({ImGui::GetWindowWidth() - look.px(108), y + look.px(4)});
  speed_slider(context, 98);
}

}  // namespace rankscope::gui
