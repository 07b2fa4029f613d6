#include <filesystem>

#include <fmt/format.h>

#include "gui/state/files/layouts.h"
#include "gui/views/panels.h"

namespace rankscope::gui {
namespace {

// A menu item for a command of the table: its summary's key stands at the right.
void item(ViewContext& context, const char* label, const char* command,
          std::vector<std::string> words = {}, bool on = false, bool enabled = true) {
  const auto* info = find_command_info(command);
  const std::string key = info == nullptr || !words.empty()
                              ? ""
                              : std::string(info->shortcut.substr(0, info->shortcut.find(',')));
  if (ImGui::MenuItem(label, key.c_str(), on, enabled))
    context.commands.push(command, std::move(words));
}

void run_menu(ViewContext& context) {
  const auto& live = context.state.live;
  item(context, "Run", "run", {}, false, !live.running);
  item(context, "Step live", "live");
  item(context, "Stop", "stop", {}, false, live.running);
  ImGui::Separator();
  item(context, "Release one message", "release", {}, false, live.stepping);
  item(context, "Release one round", "release-round", {}, false, live.stepping);
  item(context, "Let the ranks run", "gate-resume", {}, false, live.stepping);
  item(context, "Clear breakpoints", "clear-breakpoints", {}, false,
       !context.state.breakpoints.empty());
  ImGui::Separator();
  item(context, "Quit", "quit");
}

void file_menu(ViewContext& context) {
  const auto& state = context.state;
  item(context, "Open a trace …", "open");
  if (ImGui::BeginMenu("Recent", !state.settings.recent.empty())) {
    for (const auto& path : state.settings.recent) item(context, path.c_str(), "open", {path});
    ImGui::EndMenu();
  }
  item(context, "Save the trace …", "save", {}, false, state.has_trace());
  item(context, "Save a workspace …", "workspace", {}, false, state.has_trace());
  item(context, "Export a picture …", "export", {}, false, state.has_trace());
  item(context, "Copy the picture", "copy-picture", {}, false, state.has_trace());
  ImGui::Separator();
  item(context, "Run a script …", "script");
  if (state.recording) item(context, "Stop recording the script", "record", {"off"});
  else item(context, "Record a script …", "record");
}

void compare_menu(ViewContext& context) {
  const auto& state = context.state;
  item(context, "Keep this run for comparison", "compare", {"keep"}, false, state.has_trace());
  item(context, "Compare with a file …", "compare");
  item(context, "End the comparison", "compare", {"off"}, false, state.other != nullptr);
  item(context, "A clock for each run", "compare-clock", {"toggle"}, state.separate_clocks,
       state.other != nullptr);
  item(context, "Show the comparison", "view", {"main", "compare"}, false, state.other != nullptr);
}

void zoom_menu(ViewContext& context) {
  const auto& state = context.state;
  const bool chosen = state.selection.message >= 0 || state.selection.event >= 0;
  if (!ImGui::BeginMenu("Zoom", state.has_trace())) return;
  item(context, "All of the time", "zoom", {"fit"});
  item(context, "To the cursor's phase", "zoom", {"phase"});
  item(context, "To the selection", "zoom", {"selection"}, false, chosen);
  ImGui::Separator();
  item(context, "Nearer to the picture", "zoom-in");
  item(context, "Away from it", "zoom-out");
  item(context, "All of it", "zoom-fit");
  ImGui::EndMenu();
}

void view_menu(ViewContext& context) {
  const auto& settings = context.state.settings;
  zoom_menu(context);
  for (const Slot slot : kSlots)
    if (ImGui::BeginMenu(fmt::format("{} pane", to_string(slot)).c_str())) {
      for (const auto& view : kViews) {
        item(context, view.title.data(), "view",
             {std::string(to_string(slot)), std::string(view.name)},
             settings.layout.at(slot) == view.name);
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", view.summary.data());
      }
      ImGui::EndMenu();
    }
  ImGui::Separator();
  if (ImGui::BeginMenu("Layout")) {
    for (const auto& one : layouts_of(settings))
      item(context, one.name.c_str(), "layout", {one.name}, one.layout == settings.layout);
    ImGui::Separator();
    item(context, "Save this one …", "layout");
    ImGui::EndMenu();
  }
  ImGui::Separator();
  item(context, "Run panel", "panel", {"left", "toggle"}, settings.layout.left_open);
  item(context, "Side", "panel", {"right", "toggle"}, settings.layout.right_open);
  item(context, "Lower row", "panel", {"lower", "toggle"}, settings.layout.lower_open);
  ImGui::Separator();
  item(context, "Presentation", "present", {}, context.state.presenting);
  item(context, "Next theme", "theme");
  item(context, "Bigger", "bigger");
  item(context, "Smaller", "smaller");
  item(context, "Motion", "motion", {"toggle"}, settings.motion);
}

void lesson_menu(ViewContext& context) {
  const auto& lesson = context.state.lesson;
  const bool open = lesson.lesson != nullptr;
  item(context, "All lessons …", "lesson");
  item(context, "Close this one", "lesson", {"close"}, false, open);
  ImGui::Separator();
  item(context, "Next page", "lesson", {"page", "next"}, false,
       open && lesson.page() + 1 < lesson.pages());
  item(context, "Page before", "lesson", {"page", "back"}, false, open && lesson.page() > 0);
  if (ImGui::BeginMenu("Begin anew", open)) {
    item(context, "With the same numbers", "lesson",
         {"restart", fmt::format("{}", lesson.progress.seed)});
    item(context, "With other numbers", "lesson",
         {"restart", fmt::format("{}", lesson.progress.seed + 1)});
    ImGui::EndMenu();
  }
  ImGui::Separator();
  item(context, "Lecture", "lecture", {"toggle"}, lesson.lecture);
  item(context, "Notes for the lecturer", "lecturer", {"toggle"}, lesson.lecturer);
}

void help_menu(ViewContext& context) {
  item(context, "Welcome", "welcome", {"on"});
  item(context, "A tour of the window", "tour");
  item(context, "All commands …", "palette");
  item(context, "Keys", "shortcuts");
}

// At the right edge: how the processes are.
void live_state(ViewContext& context) {
  const auto& state = context.state;
  const auto& p = context.look.palette();
  std::string text;
  ImU32 color = p.muted;
  if (!state.loading.empty()) {
    text = fmt::format("reading {} …", std::filesystem::path(state.loading).filename().string());
  } else if (state.live.running) {
    text = fmt::format("{} processes {} · {} events", state.settings.job.world_size,
                       state.live.stepping ? "held" : "running", state.live.events);
    color = state.live.stepping ? p.warning : p.good;
  } else if (state.result) {
    text = state.result->ok() ? "run ended: right"
                              : fmt::format("run ended: {}", to_string(state.result->status));
    color = state.result->ok() ? p.good : p.error;
  } else {
    text = "no run yet";
  }
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  const float x = ImGui::GetWindowWidth() - width - context.look.px(16);
  if (x < ImGui::GetCursorPosX()) return;
  ImGui::SetCursorPosX(x);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddCircleFilled(
      {at.x - context.look.px(10), at.y + ImGui::GetFrameHeight() / 2}, context.look.px(4), color);
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
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
    menu("Run", [&] { run_menu(context); });
    menu("Lesson", [&] { lesson_menu(context); });
    menu("File", [&] { file_menu(context); });
    menu("Compare", [&] { compare_menu(context); });
    menu("View", [&] { view_menu(context); });
    menu("Help", [&] { help_menu(context); });
    if (context.state.has_trace()) {
      const auto& headline = context.state.document->headline();
      const float width = ImGui::CalcTextSize(headline.c_str()).x;
      const float x = (ImGui::GetWindowWidth() - width) / 2;
      if (x > ImGui::GetCursorPosX() + context.look.px(16)) {
        ImGui::SetCursorPosX(x);
        ImGui::TextUnformatted(headline.c_str());
      }
    }
    live_state(context);
    ImGui::EndMenuBar();
  }
  ImGui::PopStyleVar();
}

}  // namespace rankscope::gui
