// Draws lines over axes: ticks, lines, bars of spread, names at the lines' ends.
#include "engine/diagrams/plot/line_plot.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr double kTick = 5, kNameHeight = 18;

struct Range {
  double least = 0, most = 1;
  double part_of(double value) const noexcept {
    return most > least ? (value - least) / (most - least) : 0;
  }
};

std::string number_text(double value, double step) {
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
  return fmt::format("{:.{}f}", value, digits);
}

class Plotter {
 public:
  Plotter(const LinePlot& plot, Scene& scene, const Ruler& ruler)
      : plot_(plot), draw_(scene, ruler) {
    find_ranges();
    place();
  }

  void draw() {
    head();
    axes();
    for (const PlotLine& line : plot_.lines) draw_line(line);
    names();
  }

 private:
  void find_ranges() {
    bool any = false;
    Range x, y;
    const auto take = [&](double at, double value) {
      if (!any) x = {at, at}, y = {value, value};
      any = true;
      x = {std::min(x.least, at), std::max(x.most, at)};
      y = {std::min(y.least, value), std::max(y.most, value)};
    };
    for (const PlotLine& line : plot_.lines) {
      for (const Point& point : line.points) take(point.x, point.y);
      for (std::size_t i = 0; i < line.spread.size() && i < line.points.size(); ++i) {
        take(line.points[i].x, line.spread[i].first);
        take(line.points[i].x, line.spread[i].second);
      }
    }
    if (plot_.y_from_zero) y.least = std::min(y.least, 0.0);
    if (y.most <= y.least) y.most = y.least + 1;
    // As many as have room for their numbers.
    const auto ticks = [](double room, double each, int most) {
      return std::clamp(static_cast<int>(room / each), 2, most);
    };
    y_ticks_ = round_ticks(y.least, y.most, ticks(plot_.height - 120, 30, 6));
    y_ = {y_ticks_.front(), y_ticks_.back()};
    if (plot_.whole_x) {
      std::set<double> all;
      for (const PlotLine& line : plot_.lines)
        for (const Point& point : line.points) all.insert(point.x);
      x_ticks_.assign(all.begin(), all.end());
    } else {
      x_ticks_ = round_ticks(x.least, x.most > x.least ? x.most : x.least + 1,
                             ticks(plot_.width - 120, 64, 8));
    }
    if (x_ticks_.empty()) x_ticks_ = {0, 1};
    x_ = {std::min(x.least, x_ticks_.front()), std::max(x.most, x_ticks_.back())};
  }

  void place() {
    double numbers = 0, names = 0;
    for (const double tick : y_ticks_)
      numbers = std::max(numbers, draw_.width(y_text(tick), kCaption));
    for (const PlotLine& line : plot_.lines)
      names = std::max(names, draw_.width(line.name, kCaptionStrong));
    const double left = plot_.margin + 20 + numbers + kTick + 4,
                 top = plot_.margin + (plot_.caption.empty() ? 40 : 60);
    area_ = {left, top, plot_.width - left - plot_.margin - (names > 0 ? names + 12 : 0),
             plot_.height - top - plot_.margin - 44};
  }

  std::string y_text(double value) const {
    const double step = y_ticks_[1] - y_ticks_[0];
    return plot_.percent ? number_text(100 * value, 100 * step) + " %" : number_text(value, step);
  }
  Point at(const Point& p) const {
    return {area_.x + x_.part_of(p.x) * area_.width,
            area_.bottom() - y_.part_of(p.y) * area_.height};
  }
  static Ink ink_of(const PlotLine& line) {
    return line.reference ? Ink{Tone::muted} : Ink{Tone::rank, line.color};
  }

  void head() {
    draw_.text(plot_.title, {plot_.margin, plot_.margin + 14}, kEmphasis);
    if (!plot_.caption.empty())
      draw_.text(plot_.caption, {plot_.margin, plot_.margin + 36}, kCaption, {Tone::muted});
  }

  void axes() {
    for (const double tick : y_ticks_) {
      const double y = at({x_.least, tick}).y;
      draw_.line({area_.x, y}, {area_.right(), y}, {Tone::grid}, 1);
      draw_.level(y_text(tick), {area_.x - kTick - 4, y}, kCaption, {Tone::muted}, Anchor::end);
    }
    const double step = x_ticks_.size() > 1 ? x_ticks_[1] - x_ticks_[0] : 1;
    for (const double tick : x_ticks_) {
      const double x = at({tick, y_.least}).x;
      draw_.line({x, area_.bottom()}, {x, area_.bottom() + kTick}, {Tone::muted}, 1);
      draw_.text(plot_.whole_x ? fmt::format("{:.0f}", tick) : number_text(tick, step),
                 {x, area_.bottom() + kTick + 16}, kCaption, {Tone::muted}, Anchor::middle);
    }
    draw_.line({area_.x, area_.bottom()}, {area_.right(), area_.bottom()}, {Tone::muted}, 1);
    draw_.text(plot_.x_title, {area_.center().x, area_.bottom() + kTick + 38}, kCaption, {},
               Anchor::middle);
    draw_.upward(plot_.y_title, {plot_.margin + 4, area_.center().y}, kCaption);
  }

  void draw_line(const PlotLine& line) {
    if (line.points.empty()) return;
    draw_.new_group({.id = line.name, .story = line.name});
    std::vector<Point> path{at(line.points.front())};
    for (std::size_t i = 1; i < line.points.size(); ++i) {
      const auto segment = straight(at(line.points[i - 1]), at(line.points[i]));
      path.insert(path.end(), segment.begin() + 1, segment.end());
    }
    if (path.size() > 1)
      draw_.path(std::move(path), ink_of(line), line.reference ? 1.5 : 2).dotted = line.reference;
    for (std::size_t i = 0; i < line.spread.size() && i < line.points.size(); ++i) {
      const Point low = at({line.points[i].x, line.spread[i].first}),
                  high = at({line.points[i].x, line.spread[i].second});
      draw_.line(low, high, ink_of(line), 1.5);
      for (const Point& end : {low, high})
        draw_.line({end.x - 4, end.y}, {end.x + 4, end.y}, ink_of(line), 1.5);
    }
    if (line.marks && !line.reference)
      for (const Point& point : line.points)
        draw_.circle(at(point), 4, ink_of(line), Ink{Tone::page});
    draw_.group(-1);
  }

  /// At the ends of the lines, moved apart where they would overlap.
  void names() {
    struct Name {
      const PlotLine* line;
      double y;
    };
    std::vector<Name> all;
    for (const PlotLine& line : plot_.lines)
      if (!line.points.empty() && !line.name.empty())
        all.push_back({&line, at(line.points.back()).y});
    std::ranges::sort(all, {}, &Name::y);
    // Those that would overlap stand in the order of the lines.
    for (std::size_t from = 0, to = 1; from < all.size(); from = to, ++to) {
      while (to < all.size() && all[to].y - all[to - 1].y < kNameHeight) ++to;
      const double top = all[from].y;
      std::sort(all.begin() + static_cast<std::ptrdiff_t>(from),
                all.begin() + static_cast<std::ptrdiff_t>(to),
                [](const Name& a, const Name& b) { return a.line < b.line; });
      for (std::size_t i = from; i < to; ++i) all[i].y = top;
    }
    for (std::size_t i = 1; i < all.size(); ++i)
      all[i].y = std::max(all[i].y, all[i - 1].y + kNameHeight);
    double limit = area_.bottom();
    for (std::size_t i = all.size(); i-- > 0; limit = all[i].y - kNameHeight)
      all[i].y = std::min(all[i].y, limit);
    for (const Name& name : all)
      draw_.level(name.line->name, {area_.right() + 8, name.y}, kCaptionStrong, ink_of(*name.line),
                  Anchor::start);
  }

  const LinePlot& plot_;
  Drawing draw_;
  Range x_, y_;
  std::vector<double> x_ticks_, y_ticks_;
  Box area_;
};

}  // namespace

std::vector<double> round_ticks(double least, double most, int count) {
  const double raw = (most - least) / count, power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  std::vector<double> out;
  const double first = std::floor(least / step + 1e-9), last = std::ceil(most / step - 1e-9);
  for (double i = first; i <= last; ++i) out.push_back(i * step);
  return out;
}

Scene line_plot(const LinePlot& plot, const Ruler& ruler) {
  Scene scene;
  scene.width = plot.width;
  scene.height = plot.height;
  scene.title = plot.title;
  scene.description = fmt::format("{} over {}.", plot.y_title, plot.x_title);
  Plotter(plot, scene, ruler).draw();
  return scene;
}

}  // namespace rankscope
