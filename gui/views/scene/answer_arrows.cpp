// Draws arrows of answers: whole ones that were drawn, dashed ones that did not come true.
#include "gui/views/scene/answer_arrows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"

namespace rankscope::gui {
namespace {

constexpr float kMostHidden = 0.6F;              // of an arrow, by its label
constexpr double kBend = 0.14, kFurther = 0.16;  // of an arrow's length
constexpr double kRoomyLane = 24;  // pixels of a rank's lane that leave room for words
constexpr double kGhostAside = 9;  // pixels beside the run's own arrow

// Returns the point `beyond` past the box's edge on the line from its middle to a point.
ImVec2 edge_of(const PixelBox& box, ImVec2 to, float beyond) {
  const ImVec2 at = box.center();
  const float dx = to.x - at.x, dy = to.y - at.y, length = std::max(std::hypot(dx, dy), 1.0F);
  const float half_x = (box.high.x - box.low.x) / 2, half_y = (box.high.y - box.low.y) / 2;
  const float share = std::min(std::abs(dx) > 0.5F ? half_x / std::abs(dx) : 1e6F,
                               std::abs(dy) > 0.5F ? half_y / std::abs(dy) : 1e6F);
  const float all = std::min(share + beyond / length, 1.0F);
  return {at.x + dx * all, at.y + dy * all};
}

void place_label(const Look& look, AnswerArrow& arrow) {
  const ImVec2 at = arrow.middle();
  arrow.label_low = arrow.label_high = at;
  if (arrow.label.empty()) return;
  const ImVec2 size = look.face({12, Font::Weight::semibold, false}).extent(arrow.label);
  const float x = size.x / 2 + look.px(7), y = size.y / 2 + look.px(3);
  arrow.label_low = {std::round(at.x - x), std::round(at.y - y)};
  arrow.label_high = {std::round(at.x + x), std::round(at.y + y)};
}

void head(ImDrawList& list, const AnswerArrow& arrow, ImU32 color, float size) {
  const ImVec2 tip = arrow.line.back(), before = arrow.line[arrow.line.size() - 3];
  const float dx = tip.x - before.x, dy = tip.y - before.y,
              length = std::max(std::hypot(dx, dy), 0.1F);
  const ImVec2 along{dx / length, dy / length},
      foot{tip.x - along.x * size, tip.y - along.y * size};
  list.AddTriangleFilled(tip, {foot.x - along.y * size * 0.55F, foot.y + along.x * size * 0.55F},
                         {foot.x + along.y * size * 0.55F, foot.y - along.x * size * 0.55F}, color);
}

void parting_line(const ViewContext& context, ImDrawList& list, const ClockAxis& axis,
                  const ScenePlace& place, int step, bool named) {
  const Look& look = context.look;
  const Point at = axis.at(step - 1);
  const ImVec2 b = place.at({at.x + axis.across.x, at.y + axis.across.y});
  add_dashes(list, std::array{place.at(at), b}, look.palette().warning, look.px(1.5), look.px(5),
             look.px(5));
  if (!named) return;
  const auto face = look.face({12, Font::Weight::semibold, false});
  const std::string_view words = "parts here";
  const ImVec2 size = face.extent(words);
  const ImVec2 low{b.x + look.px(5), b.y - size.y - look.px(3)};
  list.AddRectFilled({low.x - look.px(3), low.y - look.px(1)},
                     {low.x + size.x + look.px(3), low.y + size.y + look.px(1)},
                     look.palette().panel, look.px(4));
  face.draw(list, low, look.palette().warning, words);
}

}  // namespace

float AnswerArrow::away(ImVec2 at) const noexcept {
  float nearest = 1e6F;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const ImVec2 a = line[i - 1], b = line[i];
    const float dx = b.x - a.x, dy = b.y - a.y, all = std::max(dx * dx + dy * dy, 1e-6F);
    const float share = std::clamp(((at.x - a.x) * dx + (at.y - a.y) * dy) / all, 0.0F, 1.0F);
    nearest = std::min(nearest, std::hypot(a.x + dx * share - at.x, a.y + dy * share - at.y));
  }
  return nearest;
}

AnswerArrow arrow_between(const Look& look, const PixelBox& from, const PixelBox& to, int number,
                          std::string label) {
  AnswerArrow arrow;
  arrow.label = std::move(label);
  const ImVec2 one = from.center(), other = to.center();
  // To the left of its way, so that two ranks that send to each other keep apart.
  const int out = number < 0 ? -number - 1 : number;
  const auto bend = static_cast<float>((kBend + kFurther * out) * (number < 0 ? 1 : -1));
  const ImVec2 control{(one.x + other.x) / 2 - (other.y - one.y) * bend,
                       (one.y + other.y) / 2 + (other.x - one.x) * bend};
  const ImVec2 a = edge_of(from, control, look.px(3)), b = edge_of(to, control, look.px(5));
  for (std::size_t i = 0; i < arrow.line.size(); ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(arrow.line.size() - 1), u = 1 - t;
    arrow.line[i] = {u * u * a.x + 2 * u * t * control.x + t * t * b.x,
                     u * u * a.y + 2 * u * t * control.y + t * t * b.y};
  }
  place_label(look, arrow);
  return arrow;
}

std::vector<PixelBox> texts_of(const Scene& scene, const ScenePlace& place) {
  std::vector<PixelBox> all;
  for (const Mark& mark : scene.marks)
    if (mark.kind == Mark::Kind::text)
      all.push_back(
          {place.at({mark.box.x, mark.box.y}), place.at({mark.box.right(), mark.box.bottom()})});
  return all;
}

void settle_label(const ImDrawList& list, AnswerArrow& arrow, std::vector<PixelBox>& taken) {
  if (arrow.label.empty()) return;
  const ImVec2 low = list.GetClipRectMin(), high = list.GetClipRectMax();
  const float wide = arrow.label_high.x - arrow.label_low.x,
              tall = arrow.label_high.y - arrow.label_low.y;
  const ImVec2 tip = arrow.line.back();
  const float head = tall / 2;
  taken.push_back({{tip.x - head, tip.y - head}, {tip.x + head, tip.y + head}});
  const auto covered = [&](ImVec2 at) {
    float sum = 0;
    for (const PixelBox& other : taken)
      sum += std::max(0.0F, std::min(at.x + wide, other.high.x) - std::max(at.x, other.low.x)) *
             std::max(0.0F, std::min(at.y + tall, other.high.y) - std::max(at.y, other.low.y));
    return sum;
  };
  // A short arrow would vanish behind its words.
  const auto hidden = [&](ImVec2 at) {
    const auto points = ranges::count_if(arrow.line, [&](const ImVec2& point) {
      return point.x >= at.x && point.x <= at.x + wide && point.y >= at.y && point.y <= at.y + tall;
    });
    const float share = static_cast<float>(points) / static_cast<float>(arrow.line.size());
    return share > kMostHidden ? share * wide : 0;
  };
  // Along its arrow, beginning in the middle; then beside it, and with an end at it.
  const auto last = static_cast<int>(arrow.line.size()) - 1;
  float least = 1e9F;
  for (const float across : {-0.5F, -1.05F, 0.05F})
    for (const float beside : {0.0F, -1.1F, 1.1F})
      for (const int at : {last / 2, last * 3 / 8, last * 5 / 8, last / 4, last * 3 / 4}) {
        const ImVec2 middle = arrow.line[static_cast<std::size_t>(at)];
        const float x = std::clamp(middle.x + across * wide, low.x, std::max(low.x, high.x - wide)),
                    y = std::clamp(middle.y - tall / 2 + beside * tall, low.y,
                                   std::max(low.y, high.y - tall));
        const ImVec2 place{std::round(x), std::round(y)};
        const float cost = covered(place) + hidden(place);
        if (cost >= least) continue;
        least = cost;
        arrow.label_low = place;
      }
  arrow.label_high = {arrow.label_low.x + wide, arrow.label_low.y + tall};
  taken.push_back({arrow.label_low, arrow.label_high});
}

void draw_answer_arrow(const Look& look, ImDrawList& list, const AnswerArrow& arrow,
                       ArrowStyle style) {
  const auto& p = look.palette();
  const bool ghost = style == ArrowStyle::ghost || style == ArrowStyle::kept;
  const ImU32 color = style == ArrowStyle::ghost     ? with_alpha(p.text, 0x98)
                      : style == ArrowStyle::kept    ? p.good
                      : style == ArrowStyle::hovered ? p.error
                                                     : p.accent;
  const float width = look.px(ghost ? 2 : 3);
  // An outline of the pane's colour: arrows cross cards and edges.
  if (ghost) {
    add_dashes(list, arrow.line, color, width, look.px(6), look.px(6));
  } else {
    list.AddPolyline(arrow.line.data(), static_cast<int>(arrow.line.size()), p.panel, 0,
                     width + look.px(3));
    list.AddPolyline(arrow.line.data(), static_cast<int>(arrow.line.size()), color, 0, width);
  }
  head(list, arrow, color, look.px(ghost ? 10 : 13));
  if (arrow.label.empty()) return;
  list.AddRectFilled(arrow.label_low, arrow.label_high, p.panel, look.px(6));
  list.AddRect(arrow.label_low, arrow.label_high, ghost ? p.panel_edge : color, look.px(6), 0,
               look.px(1));
  look.face({12, Font::Weight::semibold, false})
      .draw(list, {arrow.label_low.x + look.px(7), arrow.label_low.y + look.px(3)},
            ghost ? p.muted : p.text, arrow.label);
}

ArrowStyle style_of(const Prediction& prediction) noexcept {
  return prediction.parting ? ArrowStyle::ghost : ArrowStyle::kept;
}

std::string ghost_label(const PredictedMessage& message) {
  return message.chunk.empty()
             ? "your prediction"
             : fmt::format("your prediction: {}", message.whole ? "all" : what_is_sent(message));
}

void draw_ghosts_in_time(const ViewContext& context, ImDrawList& list, const Scene& scene,
                         const ScenePlace& place) {
  const ClockAxis& axis = *scene.clock_axis;
  const auto& state = context.state;
  const auto& prediction = state.lesson.prediction;
  // A prediction says nothing about measured time.
  if (!prediction.any() || state.playback.clock != ClockBase::rounds) return;
  const int world = state.document->world_size();
  const double last = axis.knots.back().time;
  std::vector<PixelBox> labels = texts_of(scene, place);
  // In the small picture beside the transport there is room for the arrows alone.
  const double lane = std::hypot(axis.across.x, axis.across.y) * place.zoom / world;
  const bool roomy = lane >= static_cast<double>(context.look.px(kRoomyLane));
  const auto at = [&](Rank rank, double time) {
    const Point on = axis.at(time);
    const double share = (rank + 0.5) / world;
    return place.at({on.x + axis.across.x * share, on.y + axis.across.y * share});
  };
  for (const PredictedMessage& one : prediction.messages) {
    if ((prediction.parting && one.step > prediction.parting->step) || one.step > last) continue;
    if (std::min(one.from, one.to) < 0 || std::max(one.from, one.to) >= world) continue;
    const ImVec2 a = at(one.from, one.step - 1 + 0.08), b = at(one.to, one.step - 0.08);
    const float length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1.0F);
    const float aside = context.look.px(kGhostAside);
    const ImVec2 by{-(b.y - a.y) / length * aside, (b.x - a.x) / length * aside};
    AnswerArrow arrow;
    if (roomy) arrow.label = ghost_label(one);
    const auto face = context.look.face({12, Font::Weight::semibold, false});
    if (roomy && face.extent(arrow.label).x > 2 * length) arrow.label = "your prediction";
    for (std::size_t i = 0; i < arrow.line.size(); ++i) {
      const float share = static_cast<float>(i) / static_cast<float>(arrow.line.size() - 1);
      arrow.line[i] = {a.x + (b.x - a.x) * share + by.x, a.y + (b.y - a.y) * share + by.y};
    }
    place_label(context.look, arrow);
    settle_label(list, arrow, labels);
    draw_answer_arrow(context.look, list, arrow, style_of(prediction));
  }
  if (prediction.parting && prediction.parting->step <= last)
    parting_line(context, list, axis, place, prediction.parting->step, roomy);
}

}  // namespace rankscope::gui
