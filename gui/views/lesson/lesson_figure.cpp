// Makes and draws figures: files of the lesson, and diagrams of its runs.
#include "gui/views/lesson/lesson_figure.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "gui/views/lesson/lesson_text.h"
#include "lessons/handout/svg_scene.h"
#include "lessons/lesson/picture.h"

namespace rankscope::gui {
namespace {

constexpr float kMostLarger = 2;

/// The place and zoom of a picture in its room, for which the cursor's line is taken.
struct Fitted {
  ImVec2 low;
  float zoom = 1;
  bool clicked = false, hovered = false;
};

Fitted fit(const Look& look, double width, double height, ImVec2 room) {
  const auto wide = static_cast<float>(width), high = static_cast<float>(height);
  Fitted out;
  out.zoom = room.y <= 0 ? std::min(room.x / wide, look.scale())
                         : std::min({room.x / wide, room.y / high, kMostLarger * look.scale()});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float taken = room.y <= 0 ? high * out.zoom : room.y;
  out.low = {at.x + (room.x - wide * out.zoom) / 2, at.y + (taken - high * out.zoom) / 2};
  out.clicked = ImGui::InvisibleButton("figure", {room.x, std::max(taken, 1.0F)});
  out.hovered = ImGui::IsItemHovered();
  if (out.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return out;
}

bool says(ViewContext& context, const std::string& text, ImVec2 room, ImU32 color) {
  draw_words(context.look, text, room.x, {13, color});
  return false;
}

}  // namespace

bool FigurePainter::being_made(ViewContext& context, ImVec2 room) {
  unfinished_ = true;
  return says(context, "Drawing …", room, context.look.palette().muted);
}

void FigurePainter::clear() {
  scenes_.clear();
  files_.clear();
}

bool FigurePainter::draw(ViewContext& context, const LessonFigure& figure, ImVec2 room) {
  const auto& p = context.look.palette();
  const auto& lesson = context.state.lesson;
  if (of_ != lesson.lesson->slug) clear();
  of_ = lesson.lesson->slug;
  if (!figure.file.empty()) return drawing(context, figure, room);
  const auto picture = lesson.pictures.find(figure.id);
  if (picture == lesson.pictures.end()) return being_made(context, room);
  if (!picture->second.problem.empty())
    return says(context, picture->second.problem, room, p.error);
  if (!picture->second.run) return being_made(context, room);
  return scene(context, figure, picture->second.run, room);
}

bool FigurePainter::draw_large(ViewContext& context, const LessonFigure& figure, ImVec2 room) {
  const Look& look = context.look;
  const auto caption = parse_markdown(figure.caption);
  const float gap = look.px(6), lines = figure.caption.empty() ? 0 : look.px(46);
  const float from = ImGui::GetCursorPosY();
  const bool clicked = draw(context, figure, {room.x, room.y - lines - gap});
  if (lines <= 0) return clicked;
  const float wide = std::min(room.x, look.px(760));
  ImGui::SetCursorPosY(from + room.y - lines);
  ImGui::Indent((room.x - wide) / 2 + 1);
  draw_markdown(look, caption, wide, {14, look.palette().muted});
  ImGui::Unindent((room.x - wide) / 2 + 1);
  return clicked;
}

// A file of the lesson: a few kilobytes, read when it is first seen.
bool FigurePainter::drawing(ViewContext& context, const LessonFigure& figure, ImVec2 room) {
  auto [at, fresh] = files_.try_emplace(figure.id);
  if (fresh) try {
      at->second = scene_of_svg(read_or_nothing(context.state.lesson.lesson->folder / figure.file),
                                system_ruler(), OtherShapes::left_out);
    } catch (const UserError&) {
      at->second = {};
    }
  const Scene& picture = at->second;
  if (picture.page().empty())
    return says(context, fmt::format("The picture {} cannot be read", figure.file), room,
                context.look.palette().error);
  const Fitted place = fit(context.look, picture.width, picture.height, room);
  paint(*ImGui::GetWindowDrawList(), picture, context.look,
        {place.low, static_cast<double>(place.zoom)}, {});
  return place.clicked;
}

bool FigurePainter::scene(ViewContext& context, const LessonFigure& figure,
                          const std::shared_ptr<const RunRecord>& run, ImVec2 room) {
  const Look& look = context.look;
  auto& cache = scenes_[figure.id];
  if (!cache) cache = std::make_unique<SceneCache>();
  const double width = std::floor(static_cast<double>(room.x / look.scale()));
  const MadeScene* made = cache->get(
      0, fmt::format("{} {}", figure.id, width),
      [run, width, diagram = figure.diagram] { return picture_of(*run, diagram, width); });
  if (cache->busy() && context.unfinished != nullptr) *context.unfinished = true;
  if (made == nullptr) return being_made(context, room);
  unfinished_ = unfinished_ || cache->busy();
  if (!made->error.empty()) return says(context, made->error, room, look.palette().error);
  const Fitted fitted = fit(look, made->scene.width, made->scene.height, room);
  if (!ImGui::IsItemVisible()) return fitted.clicked;
  const ScenePlace place{fitted.low, static_cast<double>(fitted.zoom)};
  PaintOptions options;
  if (fitted.hovered) {
    options.hovered = group_at(made->scene, place.back(ImGui::GetIO().MousePos), 6 / place.zoom);
    if (options.hovered >= 0) {
      const auto& story = made->scene.groups[static_cast<std::size_t>(options.hovered)].story;
      if (!story.empty()) ImGui::SetTooltip("%s", story.c_str());
    }
  }
  paint(*ImGui::GetWindowDrawList(), made->scene, look, place, options);
  return fitted.clicked;
}

}  // namespace rankscope::gui
