#include "gui/views/view.h"

#include <algorithm>

#include "gui/views/diagram_views.h"
#include "gui/views/lesson_view.h"
#include "gui/views/list_views.h"

namespace rankscope::gui {

std::vector<std::unique_ptr<View>> all_views() {
  std::vector<std::unique_ptr<View>> views;
  views.push_back(make_spacetime_view());
  views.push_back(make_buffers_view());
  views.push_back(make_graph_view());
  views.push_back(make_matrix_view());
  views.push_back(make_table_view());
  views.push_back(make_code_view());
  views.push_back(make_events_view());
  views.push_back(make_statistics_view());
  views.push_back(make_schematic_view());
  views.push_back(make_compare_view());
  views.push_back(make_processes_view());
  views.push_back(make_problems_view());
  views.push_back(make_lesson_view());
  return views;
}

void draw_empty(const ViewContext& context, std::string_view what, std::string_view advice) {
  const Look& look = context.look;
  const ImVec2 room = ImGui::GetContentRegionAvail(), from = ImGui::GetCursorPos();
  const float width = std::min(room.x - look.px(24), look.px(420));
  if (width < look.px(60)) return;
  const auto line = [&](std::string_view text, float y) {
    const ImVec2 size = ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, width);
    ImGui::SetCursorPos({from.x + (room.x - size.x) / 2, y});
    ImGui::PushTextWrapPos(from.x + (room.x + width) / 2);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
    return y + size.y + look.px(6);
  };
  look.push(16, Font::Weight::semibold);
  const float y = line(what, from.y + room.y / 2 - look.px(28));
  Look::pop();
  ImGui::PushStyleColor(ImGuiCol_Text, look.palette().muted);
  line(advice, y);
  ImGui::PopStyleColor();
}

bool head_button(const ViewContext& context, const char* label, bool on, const char* tooltip) {
  const Look& look = context.look;
  look.push(12);
  const float pad = look.px(6);
  const float width = ImGui::CalcTextSize(label).x + 2 * pad;
  const ImVec2 at = ImGui::GetCursorPos();
  ImGui::SetCursorPos({at.x - width, at.y});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {pad, look.px(2)});
  ImGui::PushStyleColor(ImGuiCol_Button, on ? look.palette().selection : 0);
  ImGui::PushStyleColor(ImGuiCol_Text, on ? look.palette().text : look.palette().muted);
  const bool pressed = ImGui::Button(label, {width, 0});
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tooltip);
  ImGui::SetCursorPos({at.x - width - look.px(4), at.y});
  Look::pop();
  return pressed;
}

}  // namespace rankscope::gui
