// Draws the curtain over a diagram with a time axis.
#include "gui/views/scene/curtain.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace rankscope::gui {

double curtain_from(const Playback& playback) noexcept {
  return playback.clock == ClockBase::rounds ? std::ceil(playback.moment - 1e-6) : playback.moment;
}

void draw_curtain(const ViewContext& context, ImDrawList& list, const ClockAxis& axis,
                  const ScenePlace& place, double from) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const double last = axis.knots.back().time;
  if (from >= last) return;
  const bool right = axis.across.x == 0;  // time runs to the right
  const Point begin = axis.at(std::max(from, axis.knots.front().time)), end = axis.at(last);
  // Marks at the end of the last step stand beyond it, and the steps' names below the lanes.
  constexpr double kBeyond = 14, kAround = 10, kNames = 30;
  ImVec2 low =
      place.at(right ? Point{begin.x, begin.y - kAround} : Point{begin.x - kAround, begin.y});
  ImVec2 high = place.at(right ? Point{end.x + kBeyond, end.y + axis.across.y + kNames}
                               : Point{end.x + axis.across.x + kAround, end.y + kBeyond});
  const ImVec2 clip_low = list.GetClipRectMin(), clip_high = list.GetClipRectMax();
  low = {std::max(low.x, clip_low.x), std::max(low.y, clip_low.y)};
  high = {std::min(high.x, clip_high.x), std::min(high.y, clip_high.y)};
  if (high.x <= low.x || high.y <= low.y) return;
  list.PushClipRect(low, high, true);
  list.AddRectFilled(low, high, p.panel, look.px(8));
  const float gap = look.px(12), tall = high.y - low.y;
  for (float x = low.x - tall; x < high.x; x += gap)
    list.AddLine({x, high.y}, {x + tall, low.y}, with_alpha(p.muted, 0x30), look.px(1));
  list.AddRect(low, high, p.panel_edge, look.px(8));
  list.PopClipRect();
  const auto face = look.face({14, Font::Weight::semibold, false});
  // Where an answer opens it, that is said; elsewhere one goes on and sees what comes.
  const std::string_view why = context.state.lesson.horizon
                                   ? "covered until you say what comes next"
                                   : "what comes next? Step on to see it";
  // The longest words that there is room for.
  for (const auto words : {why, std::string_view("covered")}) {
    const ImVec2 size = face.extent(words);
    if (size.x + look.px(24) > high.x - low.x || size.y + look.px(8) > high.y - low.y) continue;
    const ImVec2 at{(low.x + high.x - size.x) / 2, (low.y + high.y - size.y) / 2};
    list.AddRectFilled({at.x - look.px(10), at.y - look.px(4)},
                       {at.x + size.x + look.px(10), at.y + size.y + look.px(4)}, p.panel,
                       look.px(6));
    face.draw(list, at, p.muted, words);
    break;
  }
}

}  // namespace rankscope::gui
