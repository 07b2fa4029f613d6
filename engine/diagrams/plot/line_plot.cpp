// Draws lines over axes: ticks, lines, bars of spread, names at the lines' ends.
#include "engine/diagrams/plot/line_plot.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr double kTick = 5, kNameHeight = 18, kLeader = 22;

struct AxisRange {
  double least = 0, most = 1;
  bool log = false;
  double part_of(double value) const noexcept {
    if (most <= least) return 0;
    return log ? std::log(value / least) / std::log(most / least)
               : (value - least) / (most - least);
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
    marks();
    names();
  }

 private:
  void find_ranges() {
    bool any = false;
    AxisRange x, y;
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
    find_ticks(x, y);
  }

  void find_ticks(AxisRange x, AxisRange y) {
    const bool log_y = plot_.y_scale.base > 0, log_x = plot_.x_scale.base > 0;
    if (plot_.y_from_zero && !log_y) y.least = std::min(y.least, 0.0);
    if (y.most <= y.least) y.most = log_y ? 10 * y.least : y.least + 1;
    const auto ticks = [](double room, double each, int most) {
      return std::clamp(static_cast<int>(room / each), 2, most);
    };
    y_ticks_ =
        log_y ? log_ticks(y.least, y.most, plot_.y_scale.base, ticks(plot_.height - 120, 30, 12))
              : round_ticks(y.least, y.most, ticks(plot_.height - 120, 30, 6));
    y_ = {y_ticks_.front(), y_ticks_.back(), log_y};
    if (log_y) trim_ticks(y);
    if (log_x) {
      x_ticks_ = log_ticks(x.least, x.most, plot_.x_scale.base, ticks(plot_.width - 160, 64, 12));
      // The axis is as long as the lines: ticks beyond their ends say nothing.
      std::erase_if(x_ticks_, [&](double tick) {
        return tick < x.least * (1 - 1e-9) || tick > x.most * (1 + 1e-9);
      });
    } else if (plot_.whole_x) {
      std::set<double> all;
      for (const PlotLine& line : plot_.lines)
        for (const Point& point : line.points) all.insert(point.x);
      x_ticks_.assign(all.begin(), all.end());
    } else {
      x_ticks_ = round_ticks(x.least, x.most > x.least ? x.most : x.least + 1,
                             ticks(plot_.width - 120, 64, 8));
    }
    if (x_ticks_.empty()) x_ticks_ = {log_x ? x.least : 0, log_x ? x.most : 1};
    x_ = {std::min(x.least, x_ticks_.front()), std::max(x.most, x_ticks_.back()), log_x};
  }

  /// Drops decades without lines, which would press the others flat; leaves room below for the names of marks.
  void trim_ticks(const AxisRange& y) {
    const AxisRange shown{y.least / (plot_.marks.empty() ? 1.15 : 1.7), 1.2 * y.most, true};
    std::vector<double> inside;
    for (const double tick : y_ticks_)
      if (tick >= shown.least && tick <= shown.most) inside.push_back(tick);
    if (inside.size() < 2) return;
    y_ = shown;
    y_ticks_ = std::move(inside);
  }

  void place() {
    double numbers = 0, names = 0;
    for (const double tick : y_ticks_)
      numbers = std::max(numbers, draw_.width(y_text(tick), kCaption));
    for (const PlotLine& line : plot_.lines)
      names = std::max(names, draw_.width(line.name, kCaptionStrong));
    const double left = plot_.margin + 20 + numbers + kTick + 4,
                 top = plot_.margin + (plot_.caption.empty() ? 40 : 60);
    area_ = {left, top,
             plot_.width - left - plot_.margin - (names > 0 ? names + name_gap() + 4 : 0),
             plot_.height - top - plot_.margin - 44};
  }

  std::string x_text(double value) const {
    if (plot_.x_scale.text) return plot_.x_scale.text(value);
    const double step = x_ticks_.size() > 1 ? x_ticks_[1] - x_ticks_[0] : 1;
    return plot_.whole_x ? fmt::format("{:.0f}", value) : number_text(value, step);
  }
  std::string y_text(double value) const {
    if (plot_.y_scale.text) return plot_.y_scale.text(value);
    const double step = y_ticks_[1] - y_ticks_[0];
    return plot_.percent ? number_text(100 * value, 100 * step) + " %" : number_text(value, step);
  }
  Point at(const Point& p) const {
    return {area_.x + x_.part_of(p.x) * area_.width,
            area_.bottom() - y_.part_of(p.y) * area_.height};
  }
  static Ink ink_of(const PlotLine& line) {
    return line.reference ? Ink{Tone::muted} : Ink{Tone::series, line.color};
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
    for (const double tick : x_ticks_) {
      const double x = at({tick, y_.least}).x;
      draw_.line({x, area_.bottom()}, {x, area_.bottom() + kTick}, {Tone::muted}, 1);
      draw_.text(x_text(tick), {x, area_.bottom() + kTick + 16}, kCaption, {Tone::muted},
                 Anchor::middle);
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

  /// Labels stand just above the axis, beside their lines; one that would run into the next stands higher.
  void marks() {
    double free_from = area_.x, level = 0;
    for (const PlotMark& mark : plot_.marks) {
      const Point place = at(mark.at);
      draw_.new_group({.id = "mark " + mark.label, .story = mark.label});
      draw_.line(place, {place.x, area_.bottom()}, {Tone::muted}, 1).dotted = true;
      draw_.circle(place, 5, std::nullopt, Ink{});
      const double width = draw_.width(mark.label, kCaptionStrong);
      const bool left = place.x + 6 + width > area_.right();
      const double begin = left ? place.x - 6 - width : place.x + 6;
      level = begin < free_from ? level + kNameHeight : 0;
      free_from = std::max(free_from, begin + width + 12);
      draw_.level(mark.label, {begin, area_.bottom() - 12 - level}, kCaptionStrong, {},
                  Anchor::start);
      draw_.group(-1);
    }
  }

  struct Name {
    const PlotLine* line;
    double y;
  };
  double name_gap() const noexcept { return plot_.y_scale.base > 0 ? kLeader : 8; }

  /// Sorts names that would overlap in the order of the lines.
  static void order_as_lines(std::vector<Name>& all) {
    for (std::size_t from = 0, to = 1; from < all.size(); from = to, ++to) {
      while (to < all.size() && all[to].y - all[to - 1].y < kNameHeight) ++to;
      const double top = all[from].y;
      std::sort(all.begin() + static_cast<std::ptrdiff_t>(from),
                all.begin() + static_cast<std::ptrdiff_t>(to),
                [](const Name& a, const Name& b) { return a.line < b.line; });
      for (std::size_t i = from; i < to; ++i) all[i].y = top;
    }
  }

  /// Draws names at the ends of lines, moved apart where they would overlap.
  void names() {
    std::vector<Name> all;
    for (const PlotLine& line : plot_.lines)
      if (!line.points.empty() && !line.name.empty())
        all.push_back({&line, at(line.points.back()).y});
    ranges::stable_sort(all, {}, &Name::y);
    if (plot_.y_scale.base == 0) order_as_lines(all);
    for (std::size_t i = 1; i < all.size(); ++i)
      all[i].y = std::max(all[i].y, all[i - 1].y + kNameHeight);
    double limit = area_.bottom();
    for (std::size_t i = all.size(); i-- > 0; limit = all[i].y - kNameHeight)
      all[i].y = std::min(all[i].y, limit);
    for (const Name& name : all) {
      // On logarithmic axes lines end close together: a name beside another line's end says whose it is.
      const Point end = at(name.line->points.back());
      if (plot_.y_scale.base > 0)
        draw_.line({end.x + 3, end.y}, {end.x + kLeader - 3, name.y}, ink_of(*name.line), 1);
      draw_.level(name.line->name, {area_.right() + name_gap(), name.y}, kCaptionStrong,
                  ink_of(*name.line), Anchor::start);
    }
  }

  const LinePlot& plot_;
  Drawing draw_;
  AxisRange x_, y_;
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

std::vector<double> log_ticks(double least, double most, int base, int count) {
  const double first = std::floor(std::log(least) / std::log(base) + 1e-9),
               last = std::ceil(std::log(most) / std::log(base) - 1e-9);
  std::vector<double> out;
  // All of 1, 2 and 5 times a power of ten where they fit, otherwise every second, third, .. power.
  if (base == 10 && 3 * (last - first) <= count) {
    for (double power = first; power <= last; ++power)
      for (const double factor : {1.0, 2.0, 5.0}) out.push_back(factor * std::pow(10, power));
    while (out.size() > 2 && out[1] <= least * (1 + 1e-9)) out.erase(out.begin());
    while (out.size() > 2 && out[out.size() - 2] >= most * (1 - 1e-9)) out.pop_back();
    return out;
  }
  const double step = std::max(1.0, std::ceil((last - first) / count));
  double power = first;
  for (; power < last; power += step) out.push_back(std::pow(base, power));
  out.push_back(std::pow(base, power));
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
