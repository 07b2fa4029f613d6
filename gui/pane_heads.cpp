// Draws the heads of panes: a title or tabs, which choose the view.
#include <array>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "gui/shell.h"

namespace rankscope::gui {
namespace {

/// What stands as tabs in a pane's head, as far as there is room; the rest is in the list behind them.
constexpr std::array<std::string_view, 7> kPictures = {"stage", "spacetime", "buffers",   "matrix",
                                                       "graph", "table",     "statistics"};
constexpr std::array<std::string_view, 4> kDrawer = {"lesson", "code", "inspect", "problems"};

const ViewInfo& info_of(std::string_view name) {
  return *ranges::find(kViews, name, &ViewInfo::name);
}

// Short: "Matrix" for "Communication matrix".
std::string tab_title(std::string_view name) {
  std::string_view title = info_of(name).title;
  for (const std::string_view word : {"Communication ", " and cost"})
    if (const auto at = title.find(word); at != std::string_view::npos) {
      std::string rest(title.substr(0, at));
      rest += title.substr(at + word.size());
      if (rest[0] >= 'a') rest[0] = static_cast<char>(rest[0] - 'a' + 'A');
      return rest;
    }
  return std::string(title);
}

std::vector<std::string_view> tabs_of(const AppState& state, Slot slot, std::string_view shown) {
  std::vector<std::string_view> names;
  if (slot == Slot::side) {
    names.assign(kDrawer.begin(), kDrawer.end());
    if (!state.lesson.lesson && shown != "lesson") names.erase(names.begin());
    return names;
  }
  names.assign(kPictures.begin(), kPictures.end());
  if (state.network.shown() != nullptr) names.insert(names.begin() + 3, "network");
  if (state.schedule.editor) names.insert(names.begin() + 3, "schedule");
  return names;
}

}  // namespace

// Small capitals: the pane's head. Returns how much room it takes at most.
float Shell::head(const Look& look, std::string_view title) {
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() +
                       look.px(2));  // as the words of the buttons beside it
  caption(look, capitals(title), 0, true);
  look.push(12, Font::Weight::semibold);
  const float width = ImGui::CalcTextSize(std::string(title).c_str()).x * 1.35F;
  Look::pop();
  return width;
}

void Shell::all_views_popup(const View& view, Slot slot) {
  if (!ImGui::BeginPopup("views")) return;
  for (const auto& one : kViews) {
    if (ImGui::MenuItem(one.title.data(), nullptr, one.name == view.name()))
      commands_.push(cmd::view(slot, one.name));
    hover_text(one.summary);
  }
  ImGui::EndPopup();
}

// The views that belong here, as far as there is room; the last one opens the list of all.
float Shell::tabs(ViewContext& context, Slot slot, const View& view, float room) {
  const Look& look = context.look;
  std::vector<std::string_view> names = tabs_of(app_.state(), slot, view.name());
  look.push(14, Font::Weight::semibold);
  const float pad = look.px(16), more = ImGui::CalcTextSize("\u2026").x + pad;
  const auto wide = [&](std::string_view name) {
    return ImGui::CalcTextSize(tab_title(name).c_str()).x + pad;
  };
  float all = more;
  std::vector<std::string_view> shown;
  if (ranges::find(names, view.name()) == names.end()) names.insert(names.begin(), view.name());
  all += wide(view.name());
  for (const auto name : names) {
    const bool is_now = name == view.name();
    if (!is_now && all + wide(name) > room) continue;
    if (!is_now) all += wide(name);
    shown.push_back(name);
  }
  const ImVec2 top = ImGui::GetCursorPos();
  float x = top.x;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_Button, 0);
  const auto tab = [&](const char* label, const char* name, bool now) {
    ImGui::SetCursorPos({x, top.y});
    ImGui::PushStyleColor(ImGuiCol_Text, now ? look.palette().text : look.palette().muted);
    const bool pressed = ImGui::Button(fmt::format("{}##{}", label, name).c_str());
    ImGui::PopStyleColor();
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    if (now)
      ImGui::GetWindowDrawList()->AddRectFilled(
          {low.x, high.y + look.px(1)}, {high.x, high.y + look.px(3)}, look.palette().accent);
    x += high.x - low.x + pad;
    return pressed;
  };
  for (const auto name : shown) {
    const ViewInfo& info = info_of(name);
    if (tab(tab_title(name).c_str(), info.name.data(), name == view.name()) && name != view.name())
      commands_.push(cmd::view(slot, name));
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
      commands_.push(cmd::maximize(slot));
    if (ImGui::IsItemHovered() && ContextPopup::clicked())
      popup_.open({ContextThing::Kind::tab, 0, slot, std::string(name)});
    hover_text(info.summary);
  }
  if (tab("\u2026", "all", false)) ImGui::OpenPopup("views");
  hover_text("All views");
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  Look::pop();
  all_views_popup(view, slot);
  ImGui::SetCursorPos(top);
  return x - top.x;
}

// Its title, which is where another view is chosen.
float Shell::title(ViewContext& context, Slot slot, const View& view) {
  const Look& look = context.look;
  const ImVec2 top = ImGui::GetCursorPos();
  const float width = head(look, view.title()) + look.px(16);
  // Over the title, so that it can be chosen where it stands.
  ImGui::SetCursorPos(top);
  if (ImGui::InvisibleButton("choose", {width, look.px(18)})) ImGui::OpenPopup("views");
  hover_text("Another view here; double-click: all of the window");
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    commands_.push(cmd::maximize(slot));
  all_views_popup(view, slot);
  return width;
}

}  // namespace rankscope::gui
