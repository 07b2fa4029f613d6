// Arrows of an answer over a picture: those that a student draws, and the ghosts of a wrong prediction.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gui/views/base/view.h"
#include "gui/views/scene/scene_painter.h"

namespace rankscope::gui {

/// Points of a curve, in pixels, and the box of the label that stands on its middle.
struct AnswerArrow {
  std::array<ImVec2, 25> line;
  ImVec2 label_low, label_high;
  std::string label;
  ImVec2 middle() const noexcept { return line[line.size() / 2]; }
  bool label_holds(ImVec2 at) const noexcept {
    return at.x >= label_low.x && at.x <= label_high.x && at.y >= label_low.y &&
           at.y <= label_high.y;
  }
  /// Pixels from a point to the curve.
  float away(ImVec2 at) const noexcept;
};

struct PixelBox {
  ImVec2 low, high;
  ImVec2 center() const noexcept { return {(low.x + high.x) / 2, (low.y + high.y) / 2}; }
  bool holds(ImVec2 at) const noexcept {
    return at.x >= low.x && at.x < high.x && at.y >= low.y && at.y < high.y;
  }
};

/// From box to box; the `number`-th of the same two boxes lies further out. To a point: a box without an extent.
/// A negative number lies on the other side.
AnswerArrow arrow_between(const Look& look, const PixelBox& from, const PixelBox& to, int number,
                          std::string label);
/// The texts of a scene, and more: what labels should not cover.
std::vector<PixelBox> texts_of(const Scene& scene, const ScenePlace& place);
/// Its label comes to where it covers least, near its arrow and inside of what is drawn on; the place is taken then.
void settle_label(const ImDrawList& list, AnswerArrow& arrow, std::vector<PixelBox>& taken);
/// `ghost` is a prediction that differs from the run, `kept` one that came true.
enum class ArrowStyle : std::uint8_t { drawn, hovered, ghost, kept };
ArrowStyle style_of(const Prediction& prediction) noexcept;
void draw_answer_arrow(const Look& look, ImDrawList& list, const AnswerArrow& arrow,
                       ArrowStyle style);

/// "your prediction: chunk 2"
std::string ghost_label(const PredictedMessage& message);
/// Draws over time × rank the predicted messages, as far as they part from the run, and where they do.
void draw_ghosts_in_time(const ViewContext& context, ImDrawList& list, const Scene& scene,
                         const ScenePlace& place);

}  // namespace rankscope::gui
