// Lists all views, and draws what they share: empty states, fitted text, head buttons.
#include "gui/views/base/view.h"

#include <algorithm>
#include <cmath>

#include "engine/diagrams/scene/ruler.h"
#include "gui/views/base/view_makers.h"

namespace rankscope::gui {

std::vector<std::unique_ptr<View>> all_views() {
  std::vector<std::unique_ptr<View>> views;
  for (std::size_t i = 0; i < kViews.size(); ++i) {
    views.push_back(kViewMakers[i].make());
    views.back()->info_ = &kViews[i];
  }
  return views;
}

namespace {

// Breaks a text at spaces into lines of at most `width` pixels in the current font.
std::vector<std::string_view> broken(std::string_view text, float width) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto hard = std::min(text.find('\n'), text.size());
    std::size_t end = 0;
    for (std::size_t next = 0; next < hard; next = end + 1) {
      const auto space = std::min(text.find(' ', next), hard);
      const float wide = ImGui::CalcTextSize(text.data(), text.data() + space).x;
      if (end > 0 && wide > width) break;
      end = space;
    }
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

}  // namespace

void draw_empty(const ViewContext& context, std::string_view what, std::string_view advice) {
  const Look& look = context.look;
  const ImVec2 room = ImGui::GetContentRegionAvail(), from = ImGui::GetCursorPos();
  const float width = std::min(room.x - look.px(24), look.px(420));
  if (width < look.px(60)) return;
  look.push(16, Font::Weight::semibold);
  const float title = static_cast<float>(broken(what, width).size()) * ImGui::GetTextLineHeight();
  Look::pop();
  const float below = static_cast<float>(broken(advice, width).size()) * ImGui::GetTextLineHeight();
  const float all = title + below + look.px(6), middle = room.y / 2 - look.px(28);
  const bool both = all <= room.y;  // else the heading alone
  const float top = std::max(0.0F, std::min(middle, room.y - (both ? all : title)));
  // Centres each line of a text.
  const auto line = [&](std::string_view text, float y) {
    for (const auto words : broken(text, width)) {
      const ImVec2 size = ImGui::CalcTextSize(words.data(), words.data() + words.size());
      ImGui::SetCursorPos({from.x + (room.x - size.x) / 2, y});
      ImGui::TextUnformatted(words.data(), words.data() + words.size());
      y += size.y;
    }
    return y + look.px(6);
  };
  look.push(16, Font::Weight::semibold);
  const float y = line(what, from.y + top);
  Look::pop();
  if (!both) return;
  ImGui::PushStyleColor(ImGuiCol_Text, look.palette().muted);
  line(advice, y);
  ImGui::PopStyleColor();
}

void caption(const Look& look, const std::string& text, ImU32 color, bool strong) {
  look.push(12, strong ? Font::Weight::semibold : Font::Weight::regular);
  colored_text(color != 0 ? color : look.palette().muted, text);
  Look::pop();
}

void colored_text(ImU32 color, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
}

void colored_lines(ImU32 color, const std::string& text, float right) {
  ImGui::PushTextWrapPos(right);
  colored_text(color, text);
  ImGui::PopTextWrapPos();
}

void draw_ground(const Look& look, ImVec2 low, ImVec2 size, ImU32 color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 high{low.x + size.x, low.y + size.y};
  list.AddRectFilled(low, high, color, look.px(8));
  list.AddRect(low, high, look.palette().panel_edge, look.px(8));
}

void share_bar(const Look& look, ImVec2 at, ImVec2 size, double share, ImU32 color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto fill = [&](float width, ImU32 ink) {
    list.AddRectFilled(at, {at.x + width, at.y + size.y}, ink, size.y / 2);
  };
  fill(size.x, look.palette().control);
  if (share > 0) fill(std::max(size.x * static_cast<float>(std::min(share, 1.0)), size.y), color);
}

void hover_text(std::string_view text) {
  if (!ImGui::IsItemHovered()) return;
  // No tooltip after a click here: the user looks at its effect.
  const ImVec2 mouse = ImGui::GetMousePos(), pressed = ImGui::GetIO().MouseClickedPos[0];
  if (std::abs(mouse.x - pressed.x) + std::abs(mouse.y - pressed.y) < 3) return;
  // Above the item, where it covers none of the buttons beside and below.
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const ImVec2 pad = ImGui::GetStyle().WindowPadding;
  const ImVec2 size = ImGui::CalcTextSize(text.data(), text.data() + text.size());
  const float line = ImGui::GetTextLineHeight(), y = low.y - size.y - 2 * pad.y - line / 3;
  const float right = ImGui::GetIO().DisplaySize.x - size.x - 2 * pad.x;
  if (high.y - low.y < 4 * line && y > 0)
    ImGui::SetNextWindowPos({std::max(std::min(mouse.x, right), 0.0F), y});
  ImGui::SetTooltip("%.*s", static_cast<int>(text.size()), text.data());
}

bool accent_button(const Look& look, const char* label, ImVec2 size, double letters) {
  const auto& p = look.palette();
  ImGui::PushStyleColor(ImGuiCol_Button, p.accent);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, p.accent);
  ImGui::PushStyleColor(ImGuiCol_Text, p.on_accent);
  look.push(letters, Font::Weight::semibold);
  const bool pressed = ImGui::Button(label, size);
  Look::pop();
  ImGui::PopStyleColor(3);
  return pressed;
}

void right_aligned(const std::string& text) {
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  ImGui::TextUnformatted(text.c_str());
}

namespace {
double pixels_of(std::string_view words) {
  return static_cast<double>(ImGui::CalcTextSize(words.data(), words.data() + words.size()).x);
}
}  // namespace

std::string fitted_text(const std::string& text, float width) {
  return rankscope::fitted_text(text, static_cast<double>(width), pixels_of);
}

std::string fitted_phase(const std::string& name, float width) {
  return rankscope::fitted_phase(name, static_cast<double>(width), pixels_of);
}

std::string fitted_parts(const std::string& text, float width) {
  return rankscope::fitted_parts(text, static_cast<double>(width), pixels_of);
}

void elided(const std::string& text) {
  const std::string shown = fitted_text(text, ImGui::GetContentRegionAvail().x);
  ImGui::TextUnformatted(shown.c_str());
  if (shown != text && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text.c_str());
}

bool head_button(const ViewContext& context, const char* label, bool on, const char* tooltip) {
  const Look& look = context.look;
  look.push(12);
  const float pad = look.px(6);
  const float width = ImGui::CalcTextSize(label).x + 2 * pad;
  const ImVec2 at = ImGui::GetCursorPos();
  if (at.x - width < context.head_from) {  // buttons that are drawn first matter most
    Look::pop();
    ImGui::SetCursorPos({context.head_from, at.y});
    return false;
  }
  ImGui::SetCursorPos({at.x - width, at.y});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {pad, look.px(2)});
  ImGui::PushStyleColor(ImGuiCol_Button, on ? look.palette().selection : 0);
  ImGui::PushStyleColor(ImGuiCol_Text, on ? look.palette().text : look.palette().muted);
  const bool pressed = ImGui::Button(label, {width, 0});
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar();
  hover_text(tooltip);
  ImGui::SetCursorPos({at.x - width - look.px(4), at.y});
  Look::pop();
  return pressed;
}

}  // namespace rankscope::gui
