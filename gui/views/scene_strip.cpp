// Draws the row of a lecture's scenes.
#include "gui/views/scene_strip.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/core/trace/trace_file.h"
#include "gui/state/files/samples.h"
#include "gui/views/base/compat.h"

namespace rankscope::gui {
namespace {

constexpr double kCardWide = 184, kCardHigh = 164, kBetweenCards = 8, kAround = 16, kStripHead = 26,
                 kCardFoot = 24, kPictureFrom = 26, kPictureTo = 116;
/// The place in the first step at which a scene without a question is drawn, and how many times smaller than a stage.
constexpr double kFirstStep = 0.4, kShrunk = 2.6;

std::string minutes_text(double minutes) {
  return minutes > 0 ? fmt::format("{:g} min", minutes) : std::string();
}

}  // namespace

float SceneStrip::height(const Look& look) { return look.px(kCardHigh + 14); }

bool SceneStrip::takes_key(const AppState& state, CommandQueue& commands, std::string_view key) {
  const auto& scenes = state.lecture.scenes;
  if (!scenes.strip || !scenes.open()) return false;
  const std::size_t last = scenes.order.size() - 1, before = chosen_ == 0 ? 0 : chosen_ - 1,
                    after = std::min(chosen_ + 1, last);
  const auto move_to = [&](std::size_t to) {
    if (to != chosen_) commands.push(cmd::scene_move(chosen_ + 1, to + 1));
    chosen_ = to;
  };
  follows_ = true;
  if (key == "Left" || key == "PageUp") chosen_ = before;
  else if (key == "Right" || key == "PageDown") chosen_ = after;
  else if (key == "Home") chosen_ = 0;
  else if (key == "End") chosen_ = last;
  else if (key == "Shift+Left") move_to(before);
  else if (key == "Shift+Right") move_to(after);
  else if (key == "S" || key == "Delete") commands.push(cmd::scene_skip(chosen_ + 1));
  else if (key == "Enter") commands.push(cmd::scene(std::to_string(chosen_ + 1)));
  else return false;
  return true;
}

// A click on a card goes to its scene, a click on the word at its foot skips it, a drag moves it.
void SceneStrip::press(ViewContext& context, std::size_t place, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  const bool clicked = ImGui::InvisibleButton(std::to_string(place).c_str(), size);
  const bool at_foot = ImGui::GetIO().MousePos.y > low.y + size.y - look.px(kCardFoot) &&
                       ImGui::GetIO().MousePos.x > low.x + size.x / 2;
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) dragged_ = place;
  if (!clicked || dragged_) return;
  context.commands.push(at_foot ? cmd::scene_skip(place + 1)
                                : cmd::scene(std::to_string(place + 1)));
}

// Draws the run at the moment of the scene's question, so that the picture does not answer it; for a program, its name.
void SceneStrip::picture(ViewContext& context, std::size_t which, ImVec2 low, ImVec2 size) {
  const LectureScene& scene = of_->scenes[which];
  if (scene.run.is == SceneRun::Is::program) {
    const Look::Face mono = context.look.face({13, Font::Weight::regular, true});
    const std::string name = scene.run.file.filename().string();
    const ImVec2 room = mono.extent(name);
    return mono.draw(*ImGui::GetWindowDrawList(),
                     {low.x + (size.x - room.x) / 2, low.y + (size.y - room.y) / 2},
                     context.look.palette().muted, name);
  }
  if (scene.run.is == SceneRun::Is::none) return;
  const auto& question = scene.question;
  const bool of_round = question && question->before.is == SceneMoment::Is::round;
  pictures_[which].draw(
      context,
      [run = scene.run] {
        return run.is == SceneRun::Is::trace
                   ? Document::make(TraceReader::open(run.file.string()), "")
                   : small_run_of(run.job);
      },
      of_round ? question->before.value - 1 : kFirstStep, low, size, true, kShrunk);
}

void SceneStrip::card(ViewContext& context, std::size_t place, ImVec2 size) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const auto& scenes = context.state.lecture.scenes;
  const std::size_t which = scenes.order[place];
  const LectureScene& scene = scenes.lecture->scenes[which];
  const ImVec2 low = ImGui::GetCursorScreenPos();
  press(context, place, low, size);
  const bool hovered = ImGui::IsItemHovered(), now = which == scenes.now;
  const bool skipped = scenes.skipped[which];
  hover_text(scene.title);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 high{low.x + size.x, low.y + size.y};
  if (!skipped || now) list.AddRectFilled(low, high, now ? p.selection : p.panel, look.px(8));
  const bool strong = hovered || dragged_ == place || (scenes.strip && place == chosen_);
  list.AddRect(low, high, strong ? p.accent : p.panel_edge, look.px(8), 0,
               strong ? look.px(2) : 1.0F);
  const float pad = look.px(10);
  list.PushClipRect(low, high, true);
  const Look::Face small = look.face({12, Font::Weight::semibold, false});
  const std::string state = now                  ? "here"
                            : skipped            ? "skipped"
                            : scenes.kept[which] ? "held"
                            : scenes.seen[which] ? "shown"
                                                 : minutes_text(scene.minutes);
  const ImVec2 wide = small.extent(state);
  small.draw(list, {low.x + pad, low.y + look.px(8)}, p.muted, std::to_string(place + 1));
  small.draw(list, {high.x - pad - wide.x, low.y + look.px(8)}, now ? p.text : p.muted, state);
  if (ImGui::IsItemVisible())
    picture(context, which, {low.x + pad, low.y + look.px(kPictureFrom)},
            {size.x - 2 * pad, look.px(kPictureTo - kPictureFrom)});
  ImGui::SetCursorScreenPos({low.x + pad, low.y + look.px(kPictureTo + 4)});
  look.push(14, now ? Font::Weight::semibold : Font::Weight::regular);
  colored_lines(skipped ? p.muted : p.text, scene.title, ImGui::GetCursorPosX() + size.x - 2 * pad);
  Look::pop();
  if (hovered) {
    const std::string word = skipped ? "give again" : "skip";
    const ImVec2 room = small.extent(word);
    const ImVec2 at{high.x - pad - room.x, high.y - look.px(5) - room.y};
    list.AddRectFilled({at.x - look.px(6), at.y - look.px(2)}, {high.x, high.y}, p.panel,
                       look.px(4));
    small.draw(list, at, p.accent, word);
  }
  list.PopClipRect();
}

// Shows where the dragged card would go, and puts it there.
void SceneStrip::drop(ViewContext& context, ImVec2 begin, float step) {
  if (!dragged_) return;
  const Look& look = context.look;
  const auto& scenes = context.state.lecture.scenes;
  const float along = (ImGui::GetIO().MousePos.x - begin.x) / step;
  const auto last = static_cast<float>(scenes.order.size());
  const auto gap = static_cast<std::size_t>(std::clamp(along + 0.5F, 0.0F, last));
  const float x = begin.x + static_cast<float>(gap) * step - look.px(kBetweenCards / 2);
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    ImGui::GetWindowDrawList()->AddRectFilled({x - look.px(1.5), begin.y},
                                              {x + look.px(1.5), begin.y + look.px(kCardHigh)},
                                              look.palette().accent);
    return;
  }
  const std::size_t from = *std::exchange(dragged_, std::nullopt);
  const std::size_t to = gap > from ? gap - 1 : gap;
  if (to != from) context.commands.push(cmd::scene_move(from + 1, to + 1));
  chosen_ = to;
}

void SceneStrip::draw(ViewContext& context, ImVec2 size) {
  const Look& look = context.look;
  const auto& scenes = context.state.lecture.scenes;
  if (!scenes.open()) return;
  if (std::exchange(of_, scenes.lecture) != scenes.lecture) pictures_.clear();
  const float wide = look.px(kCardWide), step = wide + look.px(kBetweenCards);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  compat::begin_child("scenes", size, ImGuiWindowFlags_HorizontalScrollbar);
  const std::size_t all = scenes.order.size();
  if (shown_ != scenes.place()) follows_ = true;
  shown_ = scenes.place();
  const std::size_t seek = scenes.strip ? chosen_ : shown_;
  if (std::exchange(follows_, false))
    ImGui::SetScrollX(std::max(0.0F, static_cast<float>(seek) * step - (size.x - wide) / 2));
  ImGui::SetCursorPos({0, 0});
  const ImVec2 begin = ImGui::GetCursorScreenPos();
  for (std::size_t i = 0; i < all; ++i) {
    ImGui::SetCursorPos({static_cast<float>(i) * step, 0});
    card(context, i, {wide, look.px(kCardHigh)});
  }
  ImGui::SetCursorPos({static_cast<float>(all) * step, 0});
  ImGui::Dummy({1, look.px(kCardHigh)});
  drop(context, begin, step);
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

void SceneStrip::draw_over(ViewContext& context) {
  const auto& scenes = context.state.lecture.scenes;
  const bool open = scenes.strip && scenes.open();
  if (open && !was_open_) {
    chosen_ = scenes.place();
    dragged_.reset();
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
  colored_text(p.muted,
               "   arrows choose, Enter goes there, Shift+arrows or a drag moves it, S skips it, "
               "Ctrl+T closes");
  Look::pop();
  ImGui::SetCursorPos({around, around + look.px(kStripHead)});
  draw(context, {room.x - 2 * around, height(look)});
  ImGui::End();
}

}  // namespace rankscope::gui
