// Draws the row of a lecture's scenes.
#include "gui/views/scene_strip.h"

#include <algorithm>

#include <fmt/format.h>

#include "gui/views/base/compat.h"

namespace rankscope::gui {
namespace {

constexpr double kCardWide = 184, kCardHigh = 76, kBetweenCards = 8, kAround = 16, kStripHead = 26;

std::string minutes_text(double minutes) {
  return minutes > 0 ? fmt::format("{:g} min", minutes) : std::string();
}

}  // namespace

float SceneStrip::height(const Look& look) { return look.px(kCardHigh + 14); }

bool SceneStrip::takes_key(const AppState& state, CommandQueue& commands, std::string_view key) {
  const auto& scenes = state.lecture.scenes;
  if (!scenes.strip || !scenes.open()) return false;
  const std::size_t last = scenes.lecture->scenes.size() - 1;
  follows_ = true;
  if (key == "Left" || key == "PageUp") chosen_ = chosen_ == 0 ? 0 : chosen_ - 1;
  else if (key == "Right" || key == "PageDown") chosen_ = std::min(chosen_ + 1, last);
  else if (key == "Home") chosen_ = 0;
  else if (key == "End") chosen_ = last;
  else if (key == "Enter") commands.push(cmd::scene(std::to_string(chosen_ + 1)));
  else return false;
  return true;
}

void SceneStrip::card(ViewContext& context, std::size_t which, ImVec2 size) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const auto& scenes = context.state.lecture.scenes;
  const LectureScene& scene = scenes.lecture->scenes[which];
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const std::string number = std::to_string(which + 1);
  if (ImGui::InvisibleButton(number.c_str(), size)) context.commands.push(cmd::scene(number));
  const bool hovered = ImGui::IsItemHovered(), now = which == scenes.now;
  hover_text(scene.title);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 high{low.x + size.x, low.y + size.y};
  list.AddRectFilled(low, high, now ? p.selection : p.panel, look.px(8));
  const bool strong = hovered || (scenes.strip && which == chosen_);
  list.AddRect(low, high, strong ? p.accent : p.panel_edge, look.px(8), 0,
               strong ? look.px(2) : 1.0F);
  const float pad = look.px(10);
  list.PushClipRect(low, high, true);
  const Look::Face small = look.face({12, Font::Weight::semibold, false});
  const std::string state = now                  ? "here"
                            : scenes.kept[which] ? "held"
                            : scenes.seen[which] ? "shown"
                                                 : minutes_text(scene.minutes);
  const ImVec2 wide = small.extent(state);
  small.draw(list, {low.x + pad, low.y + look.px(8)}, p.muted, number);
  small.draw(list, {high.x - pad - wide.x, low.y + look.px(8)}, now ? p.text : p.muted, state);
  ImGui::SetCursorScreenPos({low.x + pad, low.y + look.px(28)});
  look.push(14, now ? Font::Weight::semibold : Font::Weight::regular);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + size.x - 2 * pad);
  ImGui::TextUnformatted(scene.title.c_str());
  ImGui::PopTextWrapPos();
  Look::pop();
  list.PopClipRect();
}

void SceneStrip::draw(ViewContext& context, ImVec2 size) {
  const Look& look = context.look;
  const auto& scenes = context.state.lecture.scenes;
  if (!scenes.open()) return;
  const float wide = look.px(kCardWide), step = wide + look.px(kBetweenCards);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  compat::begin_child("scenes", size, ImGuiWindowFlags_HorizontalScrollbar);
  const std::size_t all = scenes.lecture->scenes.size();
  if (shown_ != scenes.now) follows_ = true;
  shown_ = scenes.now;
  const std::size_t seek = scenes.strip ? chosen_ : scenes.now;
  if (std::exchange(follows_, false))
    ImGui::SetScrollX(std::max(0.0F, static_cast<float>(seek) * step - (size.x - wide) / 2));
  for (std::size_t i = 0; i < all; ++i) {
    ImGui::SetCursorPos({static_cast<float>(i) * step, 0});
    card(context, i, {wide, look.px(kCardHigh)});
  }
  ImGui::SetCursorPos({static_cast<float>(all) * step, 0});
  ImGui::Dummy({1, look.px(kCardHigh)});
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

void SceneStrip::draw_over(ViewContext& context) {
  const auto& scenes = context.state.lecture.scenes;
  const bool open = scenes.strip && scenes.open();
  if (open && !was_open_) {
    chosen_ = scenes.now;
    follows_ = true;
  }
  was_open_ = open;
  if (!open) return;
  const Look& look = context.look;
  const auto& p = look.palette();
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  const float around = look.px(kAround);
  const float high = height(look) + look.px(kStripHead) + 2 * around;
  ImGui::SetNextWindowPos({0, room.y - high});
  ImGui::SetNextWindowSize({room.x, high});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {around, around});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, p.bar);
  ImGui::Begin("##scenes", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  look.push(14, Font::Weight::semibold);
  ImGui::TextUnformatted(scenes.lecture->title.c_str());
  ImGui::SameLine();
  colored_text(p.muted, "   arrows choose, Enter goes there, Ctrl+T closes");
  Look::pop();
  ImGui::SetCursorPos({around, around + look.px(kStripHead)});
  draw(context, {room.x - 2 * around, height(look)});
  ImGui::End();
}

}  // namespace rankscope::gui
