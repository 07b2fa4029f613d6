// Turns drags into `schedule add`, `schedule select` and `schedule step`.
#include "gui/views/schedule/schedule_drag.h"

#include <cmath>
#include <cstdio>

#include "engine/diagrams/scene/drawing.h"
#include "gui/state/schedule/schedule_keys.h"

namespace rankscope::gui {
namespace {

constexpr double kMoved = 5;  ///< Pixels that are no click any more.
constexpr double kReach = 5;  ///< Around a move's line, in the scene.

}  // namespace

int ScheduleDrag::move_at(Point at) const {
  int nearest = -1;
  double least = kReach;
  for (const Mark& mark : scene_.marks) {
    if (mark.group < 0 || mark.kind != Mark::Kind::path || !mark.box.grown(kReach).contains(at))
      continue;
    int number = -1;
    const std::string& id = scene_.groups[static_cast<std::size_t>(mark.group)].id;
    if (std::sscanf(id.c_str(), "move-%d", &number) != 1) continue;
    for (double t = 0; t <= 1; t += 0.05) {
      const Point on = bezier(mark.points, t);
      const double far = std::hypot(on.x - at.x, on.y - at.y);
      if (far < least) least = far, nearest = number;
    }
  }
  return nearest;
}

bool ScheduleDrag::takes_mouse(ViewContext& context, const ScenePlace& place, bool hovered) {
  const ScheduleState& schedule = context.state.schedule;
  if (!schedule.editor) return held_.reset(), false;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Point at = place.back(mouse);
  if (!held_) {
    if (!hovered || !ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return false;
    if (const int move = move_at(at); move >= 0) held_ = Held{{}, move, mouse, false};
    else if (const auto from = place_in(scene_, at)) held_ = Held{*from, -1, mouse, false};
    return held_.has_value();
  }
  if (std::hypot(mouse.x - held_->at.x, mouse.y - held_->at.y) > context.look.px(kMoved))
    held_->moved = true;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return true;
  drop(context, place_in(scene_, at));
  held_.reset();
  return true;
}

void ScheduleDrag::drop(ViewContext& context, const std::optional<ScheduleState::Place>& to) const {
  const ScheduleState& schedule = context.state.schedule;
  const DrawnSchedule& drawn = schedule.editor->drawn();
  if (held_->move >= 0) {
    if (held_->move >= static_cast<int>(drawn.moves.size())) return;
    const ScheduleMove& move = drawn.moves[static_cast<std::size_t>(held_->move)];
    context.commands.push(cmd::schedule_select(move.step, move.from, move.to, move.chunk));
    if (held_->moved && to && to->step > 0 && to->step != move.step)
      context.commands.push(cmd::schedule_step(to->step));
    return;
  }
  if (!held_->moved) {
    if (schedule.selected >= 0) context.commands.push(cmd::schedule_unselect());
    return;
  }
  if (!to || to->rank == held_->from.rank) return;
  const ScheduleMove move = move_between(drawn, held_->from, *to, schedule.adds);
  context.commands.push(cmd::schedule_add(move.step, move.from, move.to, move.chunk,
                                          move.add != ImGui::GetIO().KeyShift ? "add" : "keep"));
}

void ScheduleDrag::draw(const ViewContext& context, ImDrawList& list, const Scene& scene,
                        const ScenePlace& place) {
  const ScheduleState& schedule = context.state.schedule;
  if (!schedule.editor) return;
  if (of_ != schedule.id || scene_.groups.size() != scene.groups.size()) {
    of_ = schedule.id;
    scene_ = scene;
  }
  if (!held_ || !held_->moved) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const ImU32 ink = context.look.palette().accent;
  const float thick = context.look.px(2);
  const auto to = place_in(scene_, place.back(mouse));
  const auto outline = [&](const Box& box) {
    list.AddRect(place.at({box.x - 2, box.y - 2}), place.at({box.right() + 2, box.bottom() + 2}),
                 ink, context.look.px(4), 0, thick);
  };
  if (held_->move >= 0) {
    if (to && to->step > 0) {
      const Box column = box_of(scene_, {to->step, 0, 0});
      const float x = place.at(column.center()).x;
      list.AddLine({x, place.at({0, 0}).y}, {x, place.at({0, scene_.height}).y}, ink, thick);
    }
    return;
  }
  const DrawnSchedule& drawn = schedule.editor->drawn();
  const Box from = box_of(scene_, held_->from);
  outline(from);
  if (!to || to->rank == held_->from.rank) {
    list.AddLine(place.at({from.right(), from.center().y}), mouse, ink, thick);
    return;
  }
  const ScheduleMove move = move_between(drawn, held_->from, *to, schedule.adds);
  const Box sent = box_of(scene_, {move.step - 1, move.from, move.chunk}),
            lands = box_of(scene_, {move.step, move.to, move.chunk});
  outline(lands);
  list.AddLine(place.at({sent.right(), sent.center().y}), place.at({lands.x, lands.center().y}),
               ink, thick);
}

}  // namespace rankscope::gui
