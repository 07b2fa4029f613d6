// Draws what lies over the window in a lecture, and takes the pen's lines.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "gui/views/base/compat.h"

namespace rankscope::gui {
namespace {

constexpr double kRoomyHeight =
    560;  ///< Height of a window in which a large countdown leaves room for the picture.
constexpr double kPenWidth = 4.5, kPenEdge = 2;
constexpr std::size_t kMostOfLine = 3900;
constexpr float kTwoPi = 6.2831853F;

ImU32 pen_ink(std::size_t color) {
  const std::uint32_t rgb = kPenColors[std::min(color, kPenColors.size() - 1)].rgb;
  return IM_COL32(rgb >> 16 & 0xFF, rgb >> 8 & 0xFF, rgb & 0xFF, 0xFF);
}

ImVec2 place_of_point(const PenStroke::Point& point, ImVec2 room) {
  return {static_cast<float>(point.x) * room.x, static_cast<float>(point.y) * room.y};
}

void begin_overlay(const char* id, ImVec2 low, ImVec2 size) {
  ImGui::SetNextWindowPos(low);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoBackground);
  ImGui::PopStyleVar(2);
}

float share_left(const Countdown& down) {
  return static_cast<float>(down.left_s) / static_cast<float>(std::max(1, down.total_s));
}

}  // namespace

// Darkens a ring from the circle's edge to beyond the window's corners.
void LectureOverlays::spotlight(ViewContext& context) {
  const ImVec2 room = ImGui::GetIO().DisplaySize, mouse = ImGui::GetIO().MousePos;
  if (mouse.x >= 0 && mouse.y >= 0 && mouse.x < room.x && mouse.y < room.y) light_ = mouse;
  if (light_.x < 0) light_ = {room.x / 2, room.y / 2};
  constexpr int kCorners = 96;
  const float inner = context.look.px(context.state.lecture.spotlight_radius);
  const float outer = inner + 2 * (room.x + room.y);
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImU32 dim = IM_COL32(0, 0, 0, context.look.kind() == ThemeKind::light ? 0x90 : 0xA8);
  const auto at = [&](int corner, float radius) {
    const float angle = kTwoPi * static_cast<float>(corner) / kCorners;
    return ImVec2{light_.x + radius * std::cos(angle), light_.y + radius * std::sin(angle)};
  };
  const ImDrawListFlags smooth =
      std::exchange(list.Flags, list.Flags & ~ImDrawListFlags_AntiAliasedFill);
  for (int i = 0; i < kCorners;
       ++i)  // without smooth edges, or seams would show between the pieces
    list.AddQuadFilled(at(i, inner), at(i, outer), at(i + 1, outer), at(i + 1, inner), dim);
  list.Flags = smooth;
  list.AddCircle(light_, inner, context.look.palette().accent, kCorners, context.look.px(2));
}

void LectureOverlays::tools(ViewContext& context) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const auto& lecture = context.state.lecture;
  // The tools cover the menu bar, which is locked meanwhile: all below it can be drawn on. A presentation has no bars.
  const bool bars = !context.state.presenting;
  const float side = look.px(bars ? 22 : 30), pad = look.px(bars ? 4 : 8), gap = look.px(6);
  const char* const words[] = {"Undo", "Clear", "Done"};
  const float word = look.px(56);
  const float wide =
      2 * pad + static_cast<float>(kPenColors.size()) * (side + gap) + 3 * (word + gap) - gap;
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  const ImVec2 low{(room.x - wide) / 2, bars ? 0 : room.y - side - 2 * pad - look.px(14)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 high{low.x + wide, low.y + side + 2 * pad};
  list.AddRectFilled(low, high, p.bar, look.px(10));
  list.AddRect(low, high, p.panel_edge, look.px(10));
  float x = low.x + pad;
  for (std::size_t i = 0; i < kPenColors.size(); ++i) {
    ImGui::SetCursorPos({x, low.y + pad});
    const std::string name(kPenColors[i].name);
    if (ImGui::InvisibleButton(name.c_str(), {side, side}))
      context.commands.push(cmd::pen_color(name));
    hover_text(name);
    const ImVec2 middle{x + side / 2, low.y + pad + side / 2};
    list.AddCircleFilled(middle, side * 0.34F, pen_ink(i), 32);
    if (i == lecture.pen_color) list.AddCircle(middle, side * 0.46F, p.text, 32, look.px(2));
    x += side + gap;
  }
  const std::array<Command, 3> does = {cmd::pen_undo(), cmd::pen_clear(), cmd::pen(Turn::off)};
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
  for (std::size_t i = 0; i < 3; ++i) {
    ImGui::SetCursorPos({x, low.y + pad});
    if (ImGui::Button(words[i], {word, side})) context.commands.push(does[i]);
    x += word + gap;
  }
  ImGui::PopStyleVar();
}

// The line goes to the state when the button is released.
void LectureOverlays::follow(ViewContext& context, ImVec2 room) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto share = [](float at, float of) {
    return std::clamp(static_cast<double>(at) / static_cast<double>(of), 0.0, 1.0);
  };
  const bool draws = ImGui::IsItemActive();
  // Adds also the point of release: in a slow frame the mouse arrives and releases at once.
  if ((draws || !drawn_.points.empty()) && drawn_.points.size() < kMostOfLine) {
    const PenStroke::Point point{share(mouse.x, room.x), share(mouse.y, room.y)};
    drawn_.color = context.state.lecture.pen_color;
    if (drawn_.points.empty() || drawn_.points.back() != point) drawn_.points.push_back(point);
  }
  if (!draws && !drawn_.points.empty()) {
    Texts points;
    for (const auto& point : drawn_.points)
      points.push_back(fmt::format("{:.4f},{:.4f}", point.x, point.y));
    context.commands.push(cmd::pen_line(points));
    drawn_.points.clear();
  }
  if (!ImGui::IsItemHovered()) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_None);
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddCircleFilled(mouse, context.look.px(kPenWidth), pen_ink(context.state.lecture.pen_color));
  list.AddCircle(mouse, context.look.px(kPenWidth + 1), context.look.palette().text);
}

// Covers all panes, so that nothing beneath gets the mouse.
void LectureOverlays::canvas(ViewContext& context) {
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  begin_overlay("##pen", {0, 0}, room);
  tools(context);  // first, since the first item under the mouse gets it
  ImGui::SetCursorPos({0, 0});
  ImGui::InvisibleButton("canvas", room);
  follow(context, room);
  ImGui::End();
}

// Lines have an edge in the window's colour, to stand out everywhere.
void LectureOverlays::strokes(const ViewContext& context) const {
  const Look& look = context.look;
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const auto draw = [&](const PenStroke& stroke) {
    std::vector<ImVec2> points;
    for (const auto& point : stroke.points) points.push_back(place_of_point(point, room));
    const float width = look.px(kPenWidth), edge = width + 2 * look.px(kPenEdge);
    const auto line = [&](ImU32 ink, float wide) {
      if (points.size() > 1)
        list.AddPolyline(points.data(), static_cast<int>(points.size()), ink, 0, wide);
      for (const ImVec2& end : {points.front(), points.back()})
        list.AddCircleFilled(end, wide / 2, ink);
    };
    line(look.palette().window, edge);
    line(pen_ink(stroke.color), width);
  };
  for (const PenStroke& stroke : context.state.lecture.strokes)
    if (!stroke.points.empty()) draw(stroke);
  if (!drawn_.points.empty()) draw(drawn_);
}

// The time in one line, the share that is left below it.
void LectureOverlays::small_countdown(ViewContext& context, const std::string& text) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const Countdown& down = *context.state.lecture.countdown;
  const bool over = down.left_s == 0;
  const Look::Face face = look.face({16, Font::Weight::semibold, false});
  const float wide = std::max(face.extent(text).x, face.extent("00:00").x) + look.px(16);
  const ImVec2 size{wide, look.px(28)};
  const ImVec2 low{ImGui::GetIO().DisplaySize.x - size.x - look.px(6), look.px(1)};
  countdown_button(context, low, size);
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImVec2 high{low.x + size.x, low.y + size.y}, extent = face.extent(text);
  list.AddRectFilled(low, high, p.bar, look.px(6));
  list.AddRect(low, high, over ? p.accent : p.panel_edge, look.px(6));
  face.draw(list, {low.x + (size.x - extent.x) / 2, low.y + (size.y - extent.y) / 2 - look.px(1)},
            over          ? p.accent
            : down.paused ? p.muted
                          : p.text,
            text);
  const float y = high.y - look.px(4), x = low.x + look.px(8);
  list.AddRectFilled({x, y}, {x + (size.x - look.px(16)) * share_left(down), y + look.px(2)},
                     p.accent);
}

void LectureOverlays::countdown_button(ViewContext& context, ImVec2 low, ImVec2 size) {
  const Countdown& down = *context.state.lecture.countdown;
  const bool over = down.left_s == 0;
  begin_overlay("##countdown", low, size);
  if (ImGui::InvisibleButton("countdown", size))
    context.commands.push(over          ? cmd::countdown_off()
                          : down.paused ? cmd::countdown_resume()
                                        : cmd::countdown_pause());
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) context.commands.push(cmd::countdown_off());
  hover_text(over ? "Click: closes it" : "Click: pauses or resumes it; right click: ends it");
  ImGui::End();
}

// Draws the countdown in the corner; a click pauses or resumes it, and closes it at its end.
void LectureOverlays::countdown(ViewContext& context) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const Countdown& down = *context.state.lecture.countdown;
  const bool over = down.left_s == 0;
  const std::string text = fmt::format("{}:{:02}", down.left_s / 60, down.left_s % 60);
  // In a small window it would cover the picture, and beside a drawer the drawer: then it stands in the menu bar's empty end.
  const auto& layout = context.state.settings.layout;
  const bool drawer = layout.drawer && layout.right_open && !layout.maximized;
  const bool small =
      ImGui::GetIO().DisplaySize.y < look.px(kRoomyHeight) || (drawer && !context.state.presenting);
  if (small) return small_countdown(context, over ? "time is up" : text);
  const Look::Face face =
      look.face({44, Font::Weight::semibold, false}, static_cast<double>(look.scale()) * 1.3);
  const ImVec2 extent = face.extent(text);
  // Equally wide for every second, so that nothing jumps.
  const float wide = face.extent(down.total_s >= 600 ? "00:00" : "0:00").x;
  const ImVec2 pad{look.px(22), look.px(8)};
  const ImVec2 size{std::max(wide, extent.x) + 2 * pad.x, extent.y + 2 * pad.y + look.px(26)};
  const ImVec2 low{ImGui::GetIO().DisplaySize.x - size.x - look.px(24), look.px(112)};
  const ImVec2 high{low.x + size.x, low.y + size.y};
  countdown_button(context, low, size);
  // Over the spotlight's shade.
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddRectFilled(low, high, p.bar, look.px(8));
  list.AddRect(low, high, over ? p.accent : p.panel_edge, look.px(8));
  face.draw(list, {low.x + (size.x - extent.x) / 2, low.y + pad.y}, down.paused ? p.muted : p.text,
            text);
  const float y = low.y + pad.y + extent.y + look.px(4), bar = size.x - 2 * pad.x;
  const std::string word = over ? "time is up" : down.paused ? "paused" : "";
  if (!word.empty()) {
    const Look::Face small = look.face({14, Font::Weight::semibold, false});
    return small.draw(list, {low.x + (size.x - small.extent(word).x) / 2, y - look.px(2)},
                      over ? p.accent : p.muted, word);
  }
  const float thick = look.px(6), x = low.x + pad.x;
  list.AddRectFilled({x, y + thick}, {x + bar, y + 2 * thick}, p.control, thick / 2);
  list.AddRectFilled({x, y + thick}, {x + std::max(thick, bar * share_left(down)), y + 2 * thick},
                     p.accent, thick / 2);
}

void LectureOverlays::black(ViewContext& context) {
  ImGui::GetForegroundDrawList()->AddRectFilled({0, 0}, ImGui::GetIO().DisplaySize,
                                                IM_COL32(0, 0, 0, 0xFF));
  ImGui::SetMouseCursor(ImGuiMouseCursor_None);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) context.commands.push(cmd::blank(Turn::off));
  if (context.state.lecturing()) return;
  // A hint for the person who pressed the key by mistake; an audience sees black.
  const Look::Face face = context.look.face({14, Font::Weight::regular, false});
  const std::string_view hint = "Any key shows the window again";
  const ImVec2 size = face.extent(hint), room = ImGui::GetIO().DisplaySize;
  face.draw(*ImGui::GetForegroundDrawList(), {(room.x - size.x) / 2, room.y - 2 * size.y},
            IM_COL32(0x9B, 0xA4, 0xB0, 0xFF), hint);
}

void LectureOverlays::draw(ViewContext& context, bool covered) {
  const auto& lecture = context.state.lecture;
  if (lecture.pen && !covered && !lecture.blank) canvas(context);
  else drawn_.points.clear();
  if (lecture.spotlight && !covered) spotlight(context);
  strokes(context);
  if (lecture.countdown && !lecture.blank) countdown(context);
  if (lecture.blank) black(context);
}

}  // namespace rankscope::gui
