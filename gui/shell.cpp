// Draws one frame: bars, panes, splitters and dialogs, and dispatches keys to them.
#include "gui/shell.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "gui/views/compat.h"

namespace rankscope::gui {
namespace {

constexpr double kGap = 8, kTransport = 62, kStatus = 24;

}  // namespace

Shell::Shell(App& app) : app_(app), views_(all_views()) {}

View& Shell::view_named(const std::string& name) {
  const auto found =
      std::ranges::find_if(views_, [&](const auto& view) { return view->name() == name; });
  return found == views_.end() ? *views_.front() : **found;
}

View& Shell::view_at(Slot slot) { return view_named(app_.state().settings.layout.at(slot)); }

bool Shell::wants_keys() const {
  return ImGui::GetIO().WantTextInput || dialogs_.open() || app_.state().show_palette ||
         ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
}

bool Shell::press(const std::string& key) {
  if (key == "Tab" || key == "Shift+Tab") walks_ = true;
  else if (key != "Space" && key != "Up" && key != "Down") walks_ = false;
  if (key == "Escape") {
    escape();
    return false;  // it leaves fields and lists, too
  }
  const ImGuiIO& io = ImGui::GetIO();
  const auto& state = app_.state();
  const bool reading =
      state.lesson.lesson && !state.lesson.browser && !state.show_palette && !dialogs_.open();
  if (reading && view_named("lesson").takes_key(key)) return false;
  // No field has a use for these.
  if (reading && (key == "PageDown" || key == "PageUp")) {
    commands_.push("lesson", {"page", key == "PageDown" ? "next" : "back"});
    return true;
  }
  if (wants_keys() && may_be_typed(key)) return false;
  // Who goes from control to control by Tab presses the one that is framed by the space bar.
  if (key == "Space" && walks_ && compat::focus_is_seen()) return false;
  const auto name = command_of_key(key);
  if (name.empty()) return false;
  commands_.push(std::string(name));
  return !io.WantTextInput;  // Ctrl+Z and the like are the field's, too
}

void Shell::carry_out() {
  for (const auto& command : commands_.take()) {
    if (lacks_arguments(command)) dialogs_.ask_file(command.name);
    else app_.execute(command);
  }
}

void Shell::escape() {
  const auto& s = app_.state();
  if (dialogs_.open()) dialogs_.ask_file("");
  else if (s.show_palette) commands_.push("palette");
  else if (s.show_shortcuts) commands_.push("shortcuts");
  else if (s.show_settings) commands_.push("settings");
  else if (s.show_welcome) commands_.push("welcome", {"off"});
  else if (s.lesson.browser) commands_.push("lesson");
  else if (s.tour_step >= 0) commands_.push("tour", {"off"});
  else if (s.settings.layout.maximized) commands_.push("maximize", {"off"});
  else if (s.presenting) commands_.push("present", {"off"});
  else commands_.push("select", {"none"});
}

void Shell::draw(const Look& look) {
  unfinished_ = keeps_keys_ = false;
  places_ = {};
  without_room_ = 0;
  ViewContext context{app_.state(), commands_, look, &unfinished_, &keeps_keys_};
  zooms_ = std::exchange(app_.requests().zooms, {});
  const auto target =
      under_mouse_.value_or(app_.state().settings.layout.maximized.value_or(Slot::main));
  for (Zoom& zoom : zooms_) zoom.slot = zoom.slot.value_or(target);
  app_.mutable_state().zoom_pane = target;
  under_mouse_.reset();
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(room);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  const bool bars = !app_.state().presenting;
  ImGui::Begin("rankscope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   (bars ? ImGuiWindowFlags_MenuBar : 0));
  ImGui::PopStyleVar(3);
  if (bars) draw_menu_bar(context);
  const float gap = look.px(kGap), top = bars ? ImGui::GetCursorPosY() + gap : gap;
  const float transport = look.px(kTransport), status = bars ? look.px(kStatus) : 0;
  const float high = std::max(look.px(60), room.y - top - transport - status - gap);
  panes(context, {gap, top}, {room.x - 2 * gap, high});
  ImGui::SetCursorPos({gap, top + high + gap * 0.5F});
  compat::begin_child("transport", {room.x - 2 * gap, transport}, ImGuiWindowFlags_NoScrollbar);
  draw_transport_bar(context);
  ImGui::EndChild();
  if (bars) status_line(context, {gap * 2, room.y - status}, {room.x - 4 * gap, status});
  ImGui::End();
  tour(context);
  if (app_.state().lesson.browser) browser_.draw(context);
  dialogs_.draw(context);
  app_.mutable_state().typing = ImGui::GetIO().WantTextInput;
}

void Shell::panes(ViewContext& context, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  auto& layout = app_.mutable_state().settings.layout;
  if (layout.maximized) return pane(context, *layout.maximized, low, size);
  const float gap = look.px(kGap);
  const bool lesson = lesson_at_left();
  float left = 0, right = 0, lower = 0;
  if (lesson && (layout.left_open || app_.state().presenting))
    left = std::clamp(static_cast<float>(layout.lesson) * size.x,
                      std::min(look.px(360), size.x * 0.45F), size.x * 0.6F);
  if (left > 0 && app_.state().presenting) left = std::max(left, size.x * 0.42F);  // to be read
  if (app_.state().presenting) {
    if (left > 0) lesson_panel(context, low, {left, size.y});
    const float x = left > 0 ? left + gap : 0;
    return pane(context, Slot::main, {low.x + x, low.y}, {size.x - x, size.y});
  }
  if (layout.left_open && !lesson)
    left = std::clamp(static_cast<float>(layout.left) * size.x,
                      std::min(look.px(264), size.x * 0.3F), size.x * 0.4F);
  if (layout.right_open)
    right = std::clamp(static_cast<float>(layout.right) * size.x, look.px(150), size.x * 0.5F);
  if (layout.lower_open)
    lower = std::clamp(static_cast<float>(layout.lower) * size.y, look.px(90), size.y * 0.75F);
  make_room(look, {size.x - (left > 0 ? left + gap : 0), size.y}, right, lower);
  const ImVec2 main_low{low.x + (left > 0 ? left + gap : 0), low.y};
  const ImVec2 main_size{size.x - (left > 0 ? left + gap : 0) - (right > 0 ? right + gap : 0),
                         size.y - (lower > 0 ? lower + gap : 0)};
  if (left > 0) {
    if (lesson) lesson_panel(context, low, {left, size.y});
    else run_panel(context, low, {left, size.y});
    splitter("left", {low.x + left, low.y}, {gap, size.y}, true,
             lesson ? layout.lesson : layout.left, static_cast<double>(size.x), 1);
  }
  pane(context, Slot::main, main_low, main_size);
  if (lower > 0) {
    const float y = low.y + main_size.y;
    splitter("lower", {main_low.x, y}, {main_size.x + (right > 0 ? gap + right : 0), gap}, false,
             layout.lower, static_cast<double>(size.y), -1);
    pane(context, Slot::lower, {main_low.x, y + gap}, {main_size.x, lower});
  }
  if (right > 0) {
    const float x = main_low.x + main_size.x;
    splitter("right", {x, low.y}, {gap, size.y}, true, layout.right, static_cast<double>(size.x),
             -1);
    pane(context, Slot::side, {x + gap, low.y}, {right, lower > 0 ? main_size.y : size.y});
    if (lower > 0)
      pane(context, Slot::side_lower, {x + gap, low.y + main_size.y + gap}, {right, lower});
  }
}

// In a small window at a large scale, one legible picture is worth more than four that are not: panes that
// would be too small are left out until there is room again, and the status line says so.
void Shell::make_room(const Look& look, ImVec2 size, float& right, float& lower) {
  constexpr double kLeastSide = 200, kLeastMain = 300, kLeastHigh = 130;
  const float gap = look.px(kGap);
  const bool narrow =
      right > 0 && (right < look.px(kLeastSide) || size.x - right - gap < look.px(kLeastMain));
  const bool low =
      lower > 0 && (lower < look.px(kLeastHigh) || size.y - lower - gap < look.px(kLeastHigh));
  const int columns = right > 0 ? 2 : 1, rows = lower > 0 ? 2 : 1;
  without_room_ = columns * rows - (narrow ? 1 : columns) * (low ? 1 : rows);
  if (narrow) right = 0;
  if (low) lower = 0;
}

// A gap that can be dragged.
void Shell::splitter(const char* id, ImVec2 low, ImVec2 size, bool vertical, double& share,
                     double room, double direction) {
  ImGui::SetCursorPos(low);
  ImGui::InvisibleButton(id, size);
  if (ImGui::IsItemHovered() || ImGui::IsItemActive())
    ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  if (ImGui::IsItemDeactivated()) app_.layout_changed();
  if (!ImGui::IsItemActive()) return;
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  share = std::clamp(share + direction * static_cast<double>(vertical ? moved.x : moved.y) / room,
                     0.08, 0.75);
}

namespace {

void begin_panel(const ViewContext& context, const char* id, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  ImGui::SetCursorPos(low);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, look.palette().panel, look.px(8));
  list.AddRect(at, {at.x + size.x, at.y + size.y}, look.palette().panel_edge, look.px(8));
  ImGui::SetCursorPos({low.x + look.px(12), low.y + look.px(6)});
  compat::begin_child(id, {size.x - look.px(24), size.y - look.px(14)},
                      ImGuiWindowFlags_NoScrollbar);
}

// Small capitals: the pane's head. Returns how much room it takes at most.
float head(const Look& look, std::string_view title) {
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() +
                       look.px(2));  // as the words of the buttons beside it
  caption(look, capitals(title), 0, true);
  look.push(12, Font::Weight::semibold);
  const float width = ImGui::CalcTextSize(std::string(title).c_str()).x * 1.35F;
  Look::pop();
  return width;
}

}  // namespace

void Shell::pane(ViewContext& context, Slot slot, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  if (size.x < look.px(60) || size.y < look.px(50)) return;
  const std::string id(to_string(slot));
  View& view = view_at(slot);
  places_[static_cast<std::size_t>(slot)] = {low.x, low.y, size.x, size.y};
  if (ImGui::IsMouseHoveringRect(low, {low.x + size.x, low.y + size.y})) under_pointer_ = slot;
  begin_panel(context, id.c_str(), low, size);
  const ImVec2 top = ImGui::GetCursorPos();
  const float width = head(look, view.title()) + look.px(16);
  // Over the title, so that it can be chosen where it stands.
  ImGui::SetCursorPos(top);
  context.head_from = top.x + width;
  if (ImGui::InvisibleButton("choose", {width, look.px(18)})) ImGui::OpenPopup("views");
  hover_text("Another view here; double-click: all of the window");
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    commands_.push("maximize", {id});
  if (ImGui::BeginPopup("views")) {
    for (const auto& one : kViews) {
      if (ImGui::MenuItem(one.title.data(), nullptr, one.name == view.name()))
        commands_.push("view", {id, std::string(one.name)});
      hover_text(one.summary);
    }
    ImGui::EndPopup();
  }
  ImGui::SetCursorPos({top.x + size.x - look.px(26), top.y});
  const bool maximized = app_.state().settings.layout.maximized == slot;
  // On a projector the pane's head is its title alone.
  const bool plain = app_.state().presenting;
  if (!plain && head_button(context, maximized ? "restore" : "maximise", maximized,
                            "All of the window (double-click on the title)"))
    commands_.push("maximize", {maximized ? "off" : id});
  if (!plain && size.x > look.px(300)) view.controls(context);
  ImGui::SetCursorPos({top.x, top.y + look.px(24)});
  compat::begin_child("view", {0, 0},
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (view.zooms() && ImGui::IsWindowHovered()) under_mouse_ = slot;
  context.zooms.clear();
  std::ranges::copy_if(zooms_, std::back_inserter(context.zooms),
                       [&](const Zoom& zoom) { return zoom.slot == slot; });
  ImGui::PushID(std::string(view.name()).c_str());
  view.draw(context);
  ImGui::PopID();
  ImGui::EndChild();
  ImGui::EndChild();
}

Area Shell::place_of(const std::string& slot) const {
  const auto named = [&](Slot one) {
    return slot.empty() ? one == under_pointer_ : to_string(one) == slot;
  };
  for (const Slot one : {Slot::main, Slot::lower, Slot::side, Slot::side_lower}) {
    const Area& place = places_[static_cast<std::size_t>(one)];
    if (named(one) && place.width > 0) return place;
  }
  const auto largest =
      std::ranges::max_element(places_, {}, [](const Area& a) { return a.width * a.height; });
  return *largest;
}

void Shell::run_panel(ViewContext& context, ImVec2 low, ImVec2 size) {
  begin_panel(context, "run", low, size);
  (void)head(context.look, "Run");
  compat::begin_child("controls", {0, 0});
  run_panel_.draw(context);
  ImGui::EndChild();
  ImGui::EndChild();
}

bool Shell::lesson_at_left() const {
  const auto& layout = app_.state().settings.layout;
  if (!app_.state().lesson.lesson || layout.at(Slot::main) == "lesson") return false;
  return app_.state().presenting || !layout.shows("lesson");
}

void Shell::lesson_panel(ViewContext& context, ImVec2 low, ImVec2 size) {
  View& view = view_named("lesson");
  begin_panel(context, "lesson", low, size);
  const ImVec2 top = ImGui::GetCursorPos();
  context.head_from = top.x + head(context.look, view.title()) + context.look.px(8);
  ImGui::SetCursorPos({top.x + size.x - context.look.px(26), top.y});
  if (head_button(context, "close", false, "Closes the lesson: it continues here next time"))
    commands_.push("lesson", {"close"});
  view.controls(context);
  ImGui::SetCursorPos({top.x, top.y + context.look.px(24)});
  compat::begin_child("view", {0, 0},
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  view.draw(context);
  ImGui::EndChild();
  ImGui::EndChild();
}

// What happened last; the first problem in red.
void Shell::status_line(ViewContext& context, ImVec2 low, ImVec2 size) {
  const auto& s = app_.state();
  ImGui::SetCursorPos(low);
  compat::begin_child("status", size, ImGuiWindowFlags_NoScrollbar);
  const auto& p = context.look.palette();
  context.look.push(12);
  colored_text(s.message_is_error ? p.error : p.muted, first_line(s.message));
  if (!s.problems.empty()) {
    const std::string text =
        s.problems.size() == 1 ? "1 problem" : fmt::format("{} problems", s.problems.size());
    ImGui::SetCursorPos({size.x - ImGui::CalcTextSize(text.c_str()).x - context.look.px(8), 0});
    colored_text(p.error, text);
    hover_text("Shows them");
    if (ImGui::IsItemClicked()) commands_.push("view", {"lower", "problems"});
  } else if (s.recording || without_room_ > 0) {
    const std::string text = s.recording ? "recording a script"
                             : without_room_ == 1
                                 ? "no room for 1 pane (Ctrl+-)"
                                 : fmt::format("no room for {} panes (Ctrl+-)", without_room_);
    ImGui::SetCursorPos({size.x - ImGui::CalcTextSize(text.c_str()).x - context.look.px(8), 0});
    colored_text(p.muted, text);
  }
  Look::pop();
  ImGui::EndChild();
}

}  // namespace rankscope::gui
