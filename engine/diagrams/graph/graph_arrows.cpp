// Bends arrows around nodes and finds places for their labels.
#include "engine/diagrams/graph/graph_arrows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr double kNodeGap = 5;     // between a node and an arrow's end
constexpr double kWidestBow = 28;  // of two arrows that only part from each other
constexpr double kEndShown = 13;   // of an arrow, before and behind its label
constexpr int kSamples = 24;

Point toward(Point from, Point to, double distance) noexcept {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const double length = std::max(std::hypot(dx, dy), 1e-9);
  return {from.x + dx / length * distance, from.y + dy / length * distance};
}

}  // namespace

// `by`: how far the control points lie to the side, as a share of the distance.
std::vector<Point> GraphArrows::bent(int from, int to, double by) const {
  const Point a = shape_.at[static_cast<std::size_t>(from)];
  const Point b = shape_.at[static_cast<std::size_t>(to)];
  const double trim = shape_.radius + kNodeGap;
  if (by == 0) return straight(toward(a, b, trim), toward(b, a, trim));
  const double dx = b.x - a.x, dy = b.y - a.y;
  const auto control = [&](double along) {
    return Point{a.x + dx * along - dy * by, a.y + dy * along + dx * by};
  };
  const Point c1 = control(0.3), c2 = control(0.7);
  return {toward(a, c1, trim), c1, c2, toward(b, c2, trim)};
}

int GraphArrows::nodes_hit(const Arrow& arrow) const {
  int hit = 0;
  for (std::size_t node = 0; node < shape_.at.size(); ++node) {
    if (static_cast<int>(node) == arrow.from || static_cast<int>(node) == arrow.to) continue;
    const Point at = shape_.at[node];
    hit += ranges::any_of(arrow.samples, [&](Point p) {
      return std::hypot(p.x - at.x, p.y - at.y) < shape_.radius + kNodeGap;
    });
  }
  return hit;
}

const std::vector<Point>& GraphArrows::add(int from, int to, bool two_way) {
  static constexpr double kOneWay[] = {0, 0.16, -0.16, 0.28, -0.28, 0.42, -0.42};
  static constexpr double kTwoWay[] = {0.13, 0.22, 0.32, 0.44, 0.56};
  const Point a = shape_.at[static_cast<std::size_t>(from)],
              b = shape_.at[static_cast<std::size_t>(to)];
  const double most = kWidestBow / std::hypot(b.x - a.x, b.y - a.y);
  Arrow best;
  int least = std::numeric_limits<int>::max();
  for (const double by : two_way ? std::span<const double>(kTwoWay) : kOneWay) {
    const double bow = by == kTwoWay[0] ? std::min(by, most) : by;
    Arrow arrow{from, to, bent(from, to, bow), {}};
    for (int i = 0; i <= kSamples; ++i)
      arrow.samples.push_back(bezier(arrow.points, static_cast<double>(i) / kSamples));
    const int hit = nodes_hit(arrow);
    if (hit >= least) continue;
    least = hit;
    best = std::move(arrow);
    if (hit == 0) break;
  }
  arrows_.push_back(std::move(best));
  return arrows_.back().points;
}

bool GraphArrows::blocked(const Box& box) const {
  const Box wide = box.grown(2);
  const bool on_label =
      ranges::any_of(labels_, [&](const Box& label) { return label.overlaps(wide); });
  return on_label || ranges::any_of(shape_.at, [&](Point p) {
           const double dx = std::max({wide.x - p.x, p.x - wide.right(), 0.0});
           const double dy = std::max({wide.y - p.y, p.y - wide.bottom(), 0.0});
           return std::hypot(dx, dy) < shape_.radius;
         });
}

int GraphArrows::arrows_hit(std::size_t own, const Box& box) const {
  int hit = 0;
  for (std::size_t i = 0; i < arrows_.size(); ++i)
    hit += i != own && ranges::any_of(arrows_[i].samples, [&](Point p) { return box.contains(p); });
  return hit;
}

// On the arrow where enough of both its ends stays visible, then beside its middle, then anywhere on
// it.
std::vector<Point> GraphArrows::places(const Arrow& arrow, double width, double height) const {
  static constexpr double kOnIt[] = {0.48, 0.4, 0.56, 0.34, 0.62, 0.28, 0.68, 0.22, 0.74, 0.17};
  const Point a = arrow.samples.front(), b = arrow.samples.back();
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  const Point along{(b.x - a.x) / length, (b.y - a.y) / length};
  const double half = (std::abs(along.x) * width + std::abs(along.y) * height) / 2;
  std::vector<Point> places, tight;
  for (const double t : kOnIt) {
    const Point at = bezier(arrow.points, t);
    const double left =
        std::min(std::hypot(at.x - a.x, at.y - a.y), std::hypot(b.x - at.x, b.y - at.y));
    (left >= half + kEndShown ? places : tight).push_back(at);
  }
  const Point middle = arrow.samples[kSamples / 2];
  const double sideways = (std::abs(along.y) * width + std::abs(along.x) * height) / 2 + 6;
  for (const double side : {-sideways, sideways})
    places.push_back({middle.x - along.y * side, middle.y + along.x * side});
  places.insert(places.end(), tight.begin(), tight.end());
  return places;
}

std::optional<Point> GraphArrows::label(std::size_t i, double width, double height) {
  std::optional<Point> best;
  int least = std::numeric_limits<int>::max();
  for (const Point at : places(arrows_[i], width, height)) {
    const Box box{at.x - width / 2, at.y - height / 2, width, height};
    if (blocked(box)) continue;
    const int hit = arrows_hit(i, box);
    if (hit >= least) continue;
    least = hit;
    best = at;
    if (hit == 0) break;
  }
  if (best) labels_.push_back({best->x - width / 2, best->y - height / 2, width, height});
  return best;
}

}  // namespace rankscope
