// Draws boxes, and the veil behind them.
#include "gui/views/box.h"

#include <algorithm>
#include <string>

namespace rankscope::gui {
namespace {

// Takes the pointer from all that it covers.
void veil(const char* id) {
  ImGui::SetNextWindowPos({0, 0}, ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, IM_COL32(0, 0, 0, 96));
  ImGui::Begin((std::string(id) + " veil").c_str(), nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

}  // namespace

bool begin_box(const ViewContext& context, const char* id, double width, double height) {
  veil(id);
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  const ImVec2 size{std::min(room.x - 40, context.look.px(width)),
                    height > 0 ? std::min(room.y - 60, context.look.px(height)) : 0};
  ImGui::SetNextWindowPos({room.x / 2, room.y * 0.45F}, ImGuiCond_Always, {0.5F, 0.45F});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {context.look.px(20), context.look.px(16)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.look.palette().bar);
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings |
                   (height > 0 ? 0 : ImGuiWindowFlags_AlwaysAutoResize));
  const bool beside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
                      !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows |
                                              ImGuiHoveredFlags_AllowWhenBlockedByPopup) &&
                      !ImGui::IsWindowAppearing();
  return !beside;
}

void end_box() {
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
}

void box_heading(const Look& look, const char* text) {
  look.push(21, Font::Weight::bold);
  ImGui::TextUnformatted(text);
  Look::pop();
}

bool has_keyboard(const ViewContext& context) {
  if (ImGui::IsItemActive()) return true;
  if (context.keeps_keys != nullptr) *context.keeps_keys = true;
  return false;
}

}  // namespace rankscope::gui
