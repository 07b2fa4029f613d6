// Draws the menus, and the run's headline and state.
#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "gui/state/files/settings.h"
#include "gui/views/panels.h"

namespace rankscope::gui {
namespace {

// A menu item; the key of a command without words stands at the right.
void item(ViewContext& context, const char* label, const Command& command, bool on = false,
          bool enabled = true) {
  const auto keys = keys_of(*find_command_info(command.name));
  const char* const key = command.words.empty() && !keys.empty() ? keys.front().c_str() : "";
  if (ImGui::MenuItem(label, key, on, enabled)) context.commands.push(command);
}

// Draws the commands' items in a section of a menu.
void section(ViewContext& context, Menu menu, int number) {
  for (const CommandInfo* info : command_infos())
    for (const MenuItem& one : info->menu) {
      if (one.menu != menu || one.section != number) continue;
      const bool enabled = one.enabled == nullptr || one.enabled(context.state);
      if (!enabled && one.hides) continue;
      item(context, one.label, Command(*info, parse_words(one.words)),
           one.on != nullptr && one.on(context.state), enabled);
    }
}

// Draws the sections from this one on, with lines between them.
void sections(ViewContext& context, Menu menu, int from = 0) {
  const auto has = [&](int number) {
    return ranges::any_of(command_infos(), [&](const CommandInfo* info) {
      return ranges::any_of(info->menu, [&](const MenuItem& one) {
        return one.menu == menu && one.section == number;
      });
    });
  };
  for (int number = from; has(number); ++number) {
    if (number > from) ImGui::Separator();
    section(context, menu, number);
  }
}

void file_menu(ViewContext& context) {
  const auto& recent = context.state.settings.recent;
  section(context, Menu::file, 0);
  if (ImGui::BeginMenu("Recent", !recent.empty())) {
    for (const auto& path : recent) item(context, path.c_str(), cmd::open(path));
    ImGui::EndMenu();
  }
  sections(context, Menu::file, 1);
}

void view_menu(ViewContext& context) {
  const auto& settings = context.state.settings;
  if (ImGui::BeginMenu("Zoom", context.state.has_trace())) {
    sections(context, Menu::zoom);
    ImGui::EndMenu();
  }
  for (const Slot slot : kSlots)
    if (ImGui::BeginMenu(fmt::format("{} pane", to_string(slot)).c_str())) {
      for (const auto& view : kViews) {
        item(context, view.title.data(), cmd::view(slot, view.name),
             settings.layout.at(slot) == view.name);
        hover_text(view.summary);
      }
      ImGui::EndMenu();
    }
  ImGui::Separator();
  if (ImGui::BeginMenu("Layout")) {
    for (const auto& one : layouts_of(settings))
      item(context, one.name.c_str(), cmd::layout(one.name), one.layout == settings.layout);
    ImGui::Separator();
    item(context, "Save this one …", cmd::layout());
    ImGui::EndMenu();
  }
  ImGui::Separator();
  sections(context, Menu::view);
}

void lesson_menu(ViewContext& context) {
  const auto& lesson = context.state.lesson;
  section(context, Menu::lesson, 0);
  ImGui::Separator();
  section(context, Menu::lesson, 1);
  if (ImGui::BeginMenu("Start again", lesson.lesson != nullptr)) {
    const auto seed = lesson.progress.seed;
    item(context, "With the same numbers", cmd::lesson_restart(seed));
    item(context, "With other numbers", cmd::lesson_restart(seed + 1));
    ImGui::EndMenu();
  }
  ImGui::Separator();
  sections(context, Menu::lesson, 2);
}

// Draws the state chip at the right edge.
void live_state(ViewContext& context) {
  const StateChip chip = state_chip(context.state);
  const ImU32 color = chip_color(context.look, chip.kind);
  const std::string text = fitted_parts(chip.text, ImGui::GetWindowWidth() * 0.3F);
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  const float x = ImGui::GetWindowWidth() - width - context.look.px(16);
  if (x < ImGui::GetCursorPosX()) return;
  ImGui::SetCursorPosX(x);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddCircleFilled(
      {at.x - context.look.px(10), at.y + ImGui::GetFrameHeight() / 2}, context.look.px(4), color);
  colored_text(color, text);
}

}  // namespace

void draw_menu_bar(ViewContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {context.look.px(8), context.look.px(8)});
  if (ImGui::BeginMenuBar()) {
    context.look.push(14, Font::Weight::semibold);
    ImGui::TextUnformatted("rankscope");
    Look::pop();
    ImGui::Dummy({context.look.px(4), 0});
    const auto menu = [&](const char* label, auto&& draw) {
      if (!ImGui::BeginMenu(label)) return;
      draw();
      ImGui::EndMenu();
    };
    menu("Run", [&] { sections(context, Menu::run); });
    menu("Edit", [&] { sections(context, Menu::edit); });
    menu("Lesson", [&] { lesson_menu(context); });
    menu("File", [&] { file_menu(context); });
    menu("Compare", [&] { sections(context, Menu::compare); });
    menu("View", [&] { view_menu(context); });
    menu("Help", [&] { sections(context, Menu::help); });
    // An open sentence bar says both.
    const bool says = !context.state.settings.layout.left_open;
    if (says && context.state.has_trace()) {
      const auto& headline = context.state.document->headline();
      const float width = ImGui::CalcTextSize(headline.c_str()).x;
      const float x = (ImGui::GetWindowWidth() - width) / 2;
      if (x > ImGui::GetCursorPosX() + context.look.px(16)) {
        ImGui::SetCursorPosX(x);
        ImGui::TextUnformatted(headline.c_str());
      }
    }
    if (says) live_state(context);
    ImGui::EndMenuBar();
  }
  ImGui::PopStyleVar();
}

}  // namespace rankscope::gui
