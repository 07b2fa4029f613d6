// Draws the time cursor over a diagram.
#include "gui/views/scene/cursor_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"

namespace rankscope::gui {

std::string cursor_text(const Playback& playback, double end) {
  if (playback.clock == ClockBase::rounds) return fmt::format("{:.2f}", playback.moment);
  return Unit::of_moments(end).named(playback.moment * 1e3, end >= 1e3 ? 3 : 1);
}

double top_of_bands(const Scene& scene, const ClockAxis& axis) {
  double top = axis.knots.front().at.y;
  for (const Mark& mark : scene.marks)
    if (mark.fill && mark.fill->tone == Tone::phase && mark.kind == Mark::Kind::box)
      top = std::min(top, mark.box.y);
  return top;
}

void draw_cursor(const ViewContext& context, ImDrawList& list, const ClockAxis& axis,
                 const ScenePlace& place, double top, double moment, const std::string& text,
                 Tone tone) {
  const auto& look = context.look;
  const double first = axis.knots.front().time, last = axis.knots.back().time;
  // The time behind the last message has no room in a diagram.
  const double after = 0.01 + 0.02 * (last - first);
  if (first > moment + 0.01 || last < moment - after) return;
  moment = std::min(moment, last);
  const Point from = axis.at(moment);
  if (!place.warp.none() &&
      (place.warp.free(from.x) < place.warp.from || place.warp.free(from.x) > place.warp.to))
    return;
  const bool right = axis.across.x == 0;  // time runs to the right
  ImVec2 a = place.at(from);
  const ImVec2 b = place.at({from.x + axis.across.x, from.y + axis.across.y});
  const auto face = look.face({12, Font::Weight::semibold, false});
  const ImVec2 size = face.extent(text);
  const float pad = look.px(6), high = size.y + look.px(2);
  if (right) a.y = std::max(list.GetClipRectMin().y + high, place.at({from.x, top}).y - look.px(2));
  const ImU32 ink = look.color({tone, 0, 1});
  // Through the bands of phases only faintly: their names are to be read.
  ImVec2 bands = a;
  if (right) bands.y = std::max(a.y, place.at(from).y);
  if (right) list.AddLine(a, bands, look.color({tone, 0, 0.35F}), look.px(2));
  list.AddLine(bands, b, ink, look.px(2));
  const float wide = size.x + 2 * pad;
  ImVec2 low = right ? ImVec2(a.x - wide / 2, a.y - high) : ImVec2(a.x - wide, a.y - high / 2);
  // At the start it stands beside the ranks' names.
  const float least = right ? place.at(axis.knots.front().at).x - look.px(1) : 0;
  low.x = std::max(std::max(list.GetClipRectMin().x, least),
                   std::min(low.x, list.GetClipRectMax().x - wide));
  list.AddRectFilled(low, {low.x + wide, low.y + high}, ink, look.px(4));
  face.draw(list, {low.x + pad, low.y + look.px(1)}, look.palette().on_accent, text);
}

void draw_curtain(const ViewContext& context, ImDrawList& list, const ClockAxis& axis,
                  const ScenePlace& place, double from, double above) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const double last = axis.knots.back().time;
  if (from >= last) return;
  const bool right = axis.across.x == 0;  // time runs to the right
  const Point begin = axis.at(std::max(from, axis.knots.front().time)), end = axis.at(last);
  // Marks at the end of the last step stand beyond it, and the steps' names below the lanes.
  constexpr double kBeyond = 14, kAround = 10, kNames = 30;
  ImVec2 low =
      place.at(right ? Point{begin.x, begin.y - above} : Point{begin.x - kAround, begin.y});
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
