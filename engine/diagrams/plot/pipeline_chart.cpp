// Draws the bars of pipeline stages, with the time that they are idle.
#include "engine/diagrams/plot/pipeline_chart.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/diagrams/plot/line_plot.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr double kEdge = 24, kRow = 32, kRowGap = 8, kBarGap = 0.75, kLine = 18, kTickMark = 5,
                 kKeyBox = 22;
constexpr Ink kForward{Tone::chunk, 0}, kBackward{Tone::chunk, 1};

class PipelineDrawing {
 public:
  PipelineDrawing(const PipelineChart& chart, Scene& scene, const Ruler& ruler)
      : chart_(chart), scene_(scene), draw_(scene, ruler) {
    for (const PipelineRow& row : chart_.rows)
      for (const PipelineBar& bar : row.bars) {
        end_ = std::max(end_, bar.end);
        number_ = std::max(number_, draw_.width(std::to_string(bar.microbatch), kCaptionStrong));
      }
    if (end_ <= 0) end_ = 1;
    place();
  }

  void draw() {
    draw_.text(chart_.title, {kEdge, kEdge + 14}, kEmphasis);
    double y = kEdge + 38;
    for (const std::string& line : caption_) {
      draw_.text(line, {kEdge, y}, kCaption, {Tone::muted});
      y += kLine;
    }
    legend(legend_top());
    for (std::size_t i = 0; i < chart_.rows.size(); ++i) row(i);
    axis();
    scene_.clock_end = end_;
    scene_.clock_axis =
        ClockAxis{.knots = {{0, {area_.x, area_.y}}, {end_, {area_.right(), area_.y}}},
                  .across = {0, area_.height}};
  }

 private:
  void place() {
    double names = 0, notes = 0;
    for (const PipelineRow& row : chart_.rows) {
      names = std::max(names, draw_.width(row.name, kCaptionStrong));
      notes = std::max(notes, draw_.width(row.note, kCaption));
    }
    const double left = kEdge + names + 12, right = kEdge + (notes > 0 ? notes + 12 : 0);
    scene_.width =
        chart_.width > 0 ? chart_.width : std::clamp(left + right + wanted_width(), 640.0, 1600.0);
    caption_ = wrapped(chart_.caption, kCaption, scene_.width - 2 * kEdge, draw_.ruler());
    const double top = legend_places(legend_top()).back().y + 30;
    const auto rows = double(std::max<std::size_t>(chart_.rows.size(), 1));
    area_ = {left, top, scene_.width - left - right, rows * (kRow + kRowGap) - kRowGap};
    scene_.height = area_.bottom() + kTickMark + 48 + kEdge - 8;
  }

  double legend_top() const { return kEdge + 44 + kLine * double(caption_.size()) - 10; }

  /// Returns the width at which the widest number fits into the shortest bar.
  double wanted_width() const {
    double shortest = end_;
    for (const PipelineRow& row : chart_.rows)
      for (const PipelineBar& bar : row.bars)
        if (bar.end > bar.begin) shortest = std::min(shortest, bar.end - bar.begin);
    return end_ / shortest * (number_ + 12);
  }

  double x_of(double time) const { return area_.x + area_.width * time / end_; }

  struct LegendKey {
    std::string_view name;
    std::optional<Ink> fill;  ///< None: words only.
    bool hatched;
  };
  bool has_waits() const { return !chart_.waiting.empty(); }
  std::vector<LegendKey> keys() const {
    std::vector<LegendKey> out{{"forward", kForward, false}, {"backward", kBackward, false}};
    if (has_waits()) out.push_back({chart_.waiting, Ink{Tone::lane}, true});
    out.push_back({chart_.idle, Ink{Tone::lane}, !has_waits()});
    out.push_back({"Numbers: microbatches", std::nullopt, false});
    return out;
  }

  double key_width(const LegendKey& key) const {
    return (key.fill ? kKeyBox : 0) + draw_.width(key.name, kCaption) + 20;
  }
  /// Returns each key's place, on as many lines as they need.
  std::vector<Point> legend_places(double y) const {
    std::vector<Point> out;
    Point at{kEdge, y};
    for (const LegendKey& key : keys()) {
      if (at.x > kEdge && at.x + key_width(key) - 20 > scene_.width - kEdge)
        at = {kEdge, at.y + kLine};
      out.push_back(at);
      at.x += key_width(key);
    }
    return out;
  }
  void legend(double y) {
    const auto places = legend_places(y);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const LegendKey key = keys()[i];
      auto [x, top] = places[i];
      if (key.fill) {
        draw_.box({x, top, 16, 12}, key.fill, {}, 2).hatched = key.hatched;
        x += kKeyBox;
      }
      draw_.level(key.name, {x, top + 6}, kCaption, {key.fill ? Tone::text : Tone::muted},
                  Anchor::start);
    }
  }

  void row(std::size_t index) {
    const PipelineRow& one = chart_.rows[index];
    const Box lane{area_.x, area_.y + double(index) * (kRow + kRowGap), area_.width, kRow};
    draw_.level(one.name, {area_.x - 12, lane.center().y}, kCaptionStrong, {}, Anchor::end);
    draw_.box(lane, Ink{Tone::lane}, {}, 3).hatched = !has_waits();
    for (const PipelineWait& wait : one.waits)
      draw_
          .box({x_of(wait.begin), lane.y, x_of(wait.end) - x_of(wait.begin), lane.height},
               Ink{Tone::lane})
          .hatched = true;
    for (const PipelineBar& bar : one.bars) draw_bar(one, bar, lane);
    draw_.group(-1);
    if (!one.note.empty())
      draw_.level(one.note, {lane.right() + 12, lane.center().y}, kCaption, {Tone::muted},
                  Anchor::start);
  }

  void draw_bar(const PipelineRow& of, const PipelineBar& bar, const Box& lane) {
    Box box{x_of(bar.begin), lane.y, x_of(bar.end) - x_of(bar.begin), lane.height};
    draw_.group(-1);
    draw_.box(box, Ink{Tone::page});  // no hatching in the gaps between bars
    const char* way = bar.backward ? "backward" : "forward";
    draw_.new_group({.id = fmt::format("{}-{}-{}", of.name, way, bar.microbatch),
                     .story = fmt::format("{}: {} of microbatch {}\nfrom {:.4g} to {:.4g}{}{}",
                                          of.name, way, bar.microbatch, bar.begin, bar.end,
                                          chart_.unit.empty() ? "" : " ", chart_.unit),
                     .begin = bar.begin,
                     .end = bar.end});
    // A gap separates consecutive bars, unless they are too thin for one.
    if (box.width > 4 * kBarGap)
      box = {box.x + kBarGap, box.y, box.width - 2 * kBarGap, box.height};
    const Ink fill = bar.backward ? kBackward : kForward;
    draw_.box(box, fill, {}, box.width > 6 ? 2 : 0);
    if (number_ + 2 <= box.width)
      draw_.level(std::to_string(bar.microbatch), box.center(), kCaptionStrong,
                  {Tone::on_chunk, fill.index});
  }

  void axis() {
    const auto ticks = round_ticks(0, end_, 8);
    for (const double tick : ticks) {
      if (tick > end_ * (1 + 1e-9)) break;
      const double x = x_of(tick), y = area_.bottom() + kRowGap;
      draw_.line({x, y}, {x, y + kTickMark}, {Tone::muted}, 1);
      draw_.text(fmt::format("{:.6g}", tick), {x, y + kTickMark + 14}, kCaption, {Tone::muted},
                 Anchor::middle);
    }
    draw_.line({area_.x, area_.bottom() + kRowGap}, {area_.right(), area_.bottom() + kRowGap},
               {Tone::muted}, 1);
    draw_.text(chart_.time_title, {area_.center().x, area_.bottom() + kRowGap + kTickMark + 34},
               kCaption, {}, Anchor::middle);
  }

  const PipelineChart& chart_;
  Scene& scene_;
  Drawing draw_;
  std::vector<std::string> caption_;
  double end_ = 0;
  double number_ = 0;  ///< Width of the widest number.
  Box area_;
};

}  // namespace

Scene pipeline_chart(const PipelineChart& chart, const Ruler& ruler) {
  Scene scene;
  scene.title = chart.title;
  scene.description = chart.caption;
  PipelineDrawing(chart, scene, ruler).draw();
  return scene;
}

}  // namespace rankscope
