// Scales places to pixels, and leads links around nodes.
#include "engine/diagrams/network/topology_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/diagrams/scene/drawing.h"
#include "engine/network/families/generators.h"

namespace rankscope {
namespace {

constexpr double kWidest = 1500, kLargestUnit = 64, kSmallestUnit = 16, kLargestRadius = 18;

std::vector<Point> circle_of(int count) {
  std::vector<Point> out;
  for (int i = 0; i < count; ++i) {
    const auto [x, y] = on_circle(i, count, 1);
    out.push_back({x, y});
  }
  return out;
}

/// Returns the distance of the two nearest nodes.
double least_distance(const std::vector<Point>& at) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t j = i + 1; j < at.size(); ++j)
      least = std::min(least, std::hypot(at[i].x - at[j].x, at[i].y - at[j].y));
  return least;
}

double distance_to_segment(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double t =
      length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/// Returns how near a path comes to nodes that are not its own.
double clearance(const TopologyLayout& layout, int a, int b, const std::vector<Point>& path) {
  constexpr int kSteps = 12;
  double least = std::numeric_limits<double>::infinity();
  Point before = path.front();
  for (int step = 1; step <= kSteps; ++step) {
    const Point here = bezier(path, static_cast<double>(step) / kSteps);
    for (int node = 0; node < static_cast<int>(layout.at.size()); ++node)
      if (node != a && node != b)
        least = std::min(
            least, distance_to_segment(layout.at[static_cast<std::size_t>(node)], before, here));
    before = here;
  }
  return least;
}

std::vector<Point> bent(Point a, Point b, double aside) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = std::max(1.0, std::hypot(dx, dy));
  const Point out{-dy / length * aside, dx / length * aside};
  return {a,
          {a.x + dx / 4 + out.x, a.y + dy / 4 + out.y},
          {b.x - dx / 4 + out.x, b.y - dy / 4 + out.y},
          b};
}

}  // namespace

TopologyLayout topology_layout(const Topology& topology) {
  TopologyLayout out;
  if (topology.uniform_ranks > 0) out.at = circle_of(topology.uniform_ranks);
  else
    for (const TopologyNode& node : topology.nodes) out.at.push_back({node.x, node.y});
  double nearest = least_distance(out.at);
  constexpr double kSame = 1e-3;
  if (nearest < kSame && out.at.size() > 1) {
    out.at = circle_of(static_cast<int>(out.at.size()));
    out.given = false;
    nearest = 1;
  }
  const auto [left, right] = std::ranges::minmax(out.at, {}, &Point::x);
  const double width = std::max(1.0, right.x - left.x);
  // The largest that the page allows; nodes that stand nearer than 1 need a larger unit.
  const double wanted = kLargestUnit / std::clamp(nearest, 0.45, 1.2);
  out.unit = std::clamp(std::min(wanted, kWidest / width), kSmallestUnit, 2 * kLargestUnit);
  out.most_radius = 0.38 * std::min(nearest, 2.0) * out.unit;
  out.radius = std::min(kLargestRadius, out.most_radius);
  for (Point& at : out.at) at = {at.x * out.unit, at.y * out.unit};
  return out;
}

std::vector<Point> link_path(const TopologyLayout& layout, int a, int b, int lane, int lanes) {
  const Point from = layout.at[static_cast<std::size_t>(a)],
              to = layout.at[static_cast<std::size_t>(b)];
  if (lanes > 1) return bent(from, to, (lane - (lanes - 1) / 2.0) * 14);
  const double need = layout.radius + 4;
  std::vector<Point> best = straight(from, to);
  double widest = clearance(layout, a, b, best);
  for (const double aside : {0.4, -0.4, 0.75, -0.75, 1.1, -1.1}) {
    if (widest >= need) break;
    std::vector<Point> path = bent(from, to, aside * layout.unit);
    if (const double clear = clearance(layout, a, b, path); clear > widest + 1)
      widest = clear, best = std::move(path);
  }
  return best;
}

}  // namespace rankscope
