// Paints scenes with Dear ImGui.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <imgui.h>

#include "engine/diagrams/emphasis.h"
#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/scene/scene.h"
#include "gui/views/base/look.h"

namespace rankscope::gui {

/// A part of a scene's x axis, stretched or moved to show another part of the time than the scene was made for.
struct Warp {
  double from = 0, to = 0;  ///< Marks outside of it stay where they are.
  double scale = 1, shift = 0;
  bool operator==(const Warp&) const = default;
  bool none() const noexcept { return scale == 1 && shift == 0; }
  double free(double x) const noexcept { return from + (x - from) * scale + shift; }
  double at(double x) const noexcept {
    return none() || x < from || x > to ? x : std::clamp(free(x), from, to);
  }
  double back(double x) const noexcept {
    return none() || x < from || x > to ? x : from + (x - from - shift) / scale;
  }
};

struct ScenePlace {
  ImVec2 origin;    ///< The scene's top left corner, in pixels of the window.
  double zoom = 1;  ///< Pixels for one unit of the scene.
  Warp warp{};

  ImVec2 at(Point p) const noexcept {
    return {origin.x + static_cast<float>(warp.at(p.x) * zoom),
            origin.y + static_cast<float>(p.y * zoom)};
  }
  Point back(ImVec2 p) const noexcept {
    return {warp.back(static_cast<double>(p.x - origin.x) / zoom),
            static_cast<double>(p.y - origin.y) / zoom};
  }
};

struct PaintOptions {
  double now = -1;            ///< On the scene's clock; if negative, nothing is in the future.
  std::int32_t hovered = -1;  ///< A group, or -1.
  std::int32_t selected = -1;
  /// Messages on their way at `now`, whose labels travel along their arrows. May be null.
  const std::vector<MovingMessage>* moving_messages = nullptr;
  /// By group; if empty, all are as usual.
  std::vector<Emphasis> emphasis = {};
  /// Groups that are shown away from their places in the scene, and by how much; painted last.
  std::vector<std::pair<std::int32_t, Point>> moved;
  bool without_moving_labels = false;  ///< paint_moving_labels() is called later.
};

/// Paints a scene. Marks outside of the clip rectangle cost little.
void paint(ImDrawList& list, const Scene& scene, const Look& look, const ScenePlace& place,
           const PaintOptions& options);

/// Paints the labels that travel, last, because a cursor's line would cross them out.
void paint_moving_labels(ImDrawList& list, const Scene& scene, const Look& look,
                         const ScenePlace& place, const PaintOptions& options);

/// A line of dashes through these points.
void add_dashes(ImDrawList& list, std::span<const ImVec2> line, ImU32 color, float width,
                float dash, float gap);

/// Returns the group with a story under a point of the scene, the last painted of several; -1 if there is none.
std::int32_t group_at(const Scene& scene, Point point, double tolerance);
std::int32_t group_named(const Scene& scene, std::string_view id);

}  // namespace rankscope::gui
