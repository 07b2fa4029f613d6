// Draws the menu of a right click from its table.
#include "gui/views/base/context_popup.h"

namespace rankscope::gui {

bool ContextPopup::clicked() {
  constexpr float kStill = 5;  // pixels
  return ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
         ImGui::GetIO().MouseDragMaxDistanceSqr[ImGuiMouseButton_Right] < kStill * kStill;
}

void ContextPopup::draw(ViewContext& context) {
  const Look& look = context.look;
  if (std::exchange(opens_, false)) ImGui::OpenPopup("context");
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(10), look.px(8)});
  if (ImGui::BeginPopup("context")) {
    const auto entries = context_menu(context.state, thing_);
    if (entries.empty()) ImGui::CloseCurrentPopup();
    if (const auto title = context_title(thing_); !title.empty()) caption(look, title, 0, true);
    for (const ContextEntry& entry : entries) {
      if (entry.starts_section) ImGui::Separator();
      const char* const key = entry.key.empty() ? nullptr : entry.key.c_str();
      if (!ImGui::MenuItem(entry.label.c_str(), key)) continue;
      for (const Command& command : entry.commands) context.commands.push(command);
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace rankscope::gui
