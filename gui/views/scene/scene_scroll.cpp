// Scrolls a scene that is larger than its pane, with bars that show where one is.
#include <algorithm>
#include <cmath>

#include "gui/views/scene/scene_view.h"

namespace rankscope::gui {
namespace {

constexpr double kBarWidth = 10, kBarGrip = 6, kLeastGrip = 24, kWheelStep = 60;

/// A bar of a pane along one of its axes; everything in pixels.
struct ScrollBar {
  float from = 0, length = 0;  ///< Where it begins, and how long it is.
  float content = 0, view = 0, begin = 0;
  bool needed() const noexcept { return content > view + 1; }
  float grip() const noexcept { return length * view / content; }
  /// The share of what can be scrolled that lies before what is seen.
  float share() const noexcept { return std::clamp(begin / (content - view), 0.0F, 1.0F); }
};

}  // namespace

bool SceneView::scroll(const ViewContext& context, ImDrawList& list, const Scene& scene,
                       const ScenePlace& at, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  const float wide = look.px(kBarWidth);
  ScrollBar bars[2];
  bars[0] = {low.x, size.x - wide, static_cast<float>(scene.width * at.zoom), size.x,
             low.x - at.origin.x};
  bars[1] = {low.y, size.y - wide, static_cast<float>(scene.height * at.zoom), size.y,
             low.y - at.origin.y};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) held_bar_ = -1;
  bool on_bar = held_bar_ >= 0;
  for (int axis = 0; axis < 2; ++axis) {
    const ScrollBar& bar = bars[axis];
    if (!bar.needed() || bar.length < look.px(kLeastGrip)) continue;
    const bool down = axis == 1;
    const float edge = down ? low.x + size.x - wide : low.y + size.y - wide;
    const float along = down ? mouse.y : mouse.x, across = down ? mouse.x : mouse.y;
    const bool over = across >= edge && across < edge + wide && along >= bar.from &&
                      along < bar.from + bar.length && ImGui::IsItemHovered();
    if (over && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) held_bar_ = axis;
    on_bar = on_bar || over;
    const float grip = std::max(bar.grip(), look.px(kLeastGrip));
    if (held_bar_ == axis) {
      // What is held is the grip's middle.
      const float share =
          std::clamp((along - bar.from - grip / 2) / std::max(bar.length - grip, 1.0F), 0.0F, 1.0F);
      (down ? pan_.y : pan_.x) += bar.begin - share * (bar.content - bar.view);
      touched_ = true;
    }
    const float begin = bar.from + bar.share() * (bar.length - grip);
    const float inset = (wide - look.px(kBarGrip)) / 2;
    const ImVec2 a = down ? ImVec2(edge + inset, begin) : ImVec2(begin, edge + inset);
    const ImVec2 b = down ? ImVec2(edge + wide - inset, begin + grip)
                          : ImVec2(begin + grip, edge + wide - inset);
    const auto& p = look.palette();
    list.AddRectFilled(a, b, over || held_bar_ == axis ? p.accent : p.muted, look.px(kBarGrip) / 2);
  }
  return on_bar;
}

bool SceneView::scroll_by_wheel(const Look& look) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!begins_larger_ || zoom_ <= 1.0001 || io.KeyCtrl ||
      (io.MouseWheel == 0 && io.MouseWheelH == 0))
    return false;
  pan_.y += io.MouseWheel * look.px(kWheelStep);
  pan_.x += io.MouseWheelH * look.px(kWheelStep);
  touched_ = true;
  return true;
}

// A picture that is scrolled does not leave its pane.
void SceneView::keep_inside(const Scene& scene, ImVec2 low, ImVec2 size) {
  if (!begins_larger_) return;
  const ScenePlace at = place(scene, low, size);
  const auto keep = [](float& pan, float room, double extent) {
    const float most = std::max(0.0F, static_cast<float>(extent) - room) / 2;
    pan = std::clamp(pan, -most, most);
  };
  keep(pan_.x, size.x, scene.width * at.zoom);
  keep(pan_.y, size.y, scene.height * at.zoom);
}

}  // namespace rankscope::gui
