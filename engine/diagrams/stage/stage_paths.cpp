// Ways between two cards: the shortest that crosses no other card and stays inside.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/stage/stage_layout.h"

namespace rankscope {
namespace {

constexpr double kBeside = 6;       // between a card and the chip beside it
constexpr double kGroupWords = 66;  // "group 12"
constexpr int kSamples = 16;
constexpr double kUsualBend = 0.42;
/// Where no usual way is free: flat ways between two rows, and wide ones around.
constexpr std::array<double, 6> kOtherBends = {0.2, 0.1, 0.05, 0.02, 0.75, 1.2};

constexpr std::array<Point, 4> kSides = {Point{0, -1}, Point{1, 0}, Point{0, 1}, Point{-1, 0}};

struct End {
  Point edge, dock, normal;
};

// Beside the middle of a card's side, or so far to the right of it as seen by who goes along `way`.
End end_of(const Box& card, int side, double width, double height, double shift) {
  const Point n = kSides[static_cast<std::size_t>(side)];
  const Point along{-n.y, n.x};
  const double half = n.x != 0 ? card.width / 2 : card.height / 2;
  const double out = kBeside + (n.x != 0 ? width : height) / 2;
  const Point edge{card.center().x + n.x * half + along.x * shift,
                   card.center().y + n.y * half + along.y * shift};
  return {edge, {edge.x + n.x * out, edge.y + n.y * out}, n};
}

Point within(const Box& box, Point p) {
  return {std::clamp(p.x, box.x, box.right()), std::clamp(p.y, box.y, box.bottom())};
}

StagePath joined(const End& from, const End& to, const Box& inside, double bend) {
  const double distance = std::hypot(to.dock.x - from.dock.x, to.dock.y - from.dock.y);
  const double reach = std::clamp(bend * distance, 8.0, bend > kUsualBend ? 600.0 : 220.0);
  StagePath path;
  path.leaves = from.edge;
  path.arrives = to.edge;
  path.curve = {
      from.dock,
      within(inside, {from.dock.x + from.normal.x * reach, from.dock.y + from.normal.y * reach}),
      within(inside, {to.dock.x + to.normal.x * reach, to.dock.y + to.normal.y * reach}), to.dock};
  return path;
}

// Of two ways that leave and arrive at the same sides, one lies in the other's bow.
bool is_inner(const StagePath& path, const Box& from, const Box& to) {
  const Point a = from.center(), b = to.center(), first = path.curve[0], last = path.curve[3];
  return std::hypot(last.x - first.x, last.y - first.y) < std::hypot(b.x - a.x, b.y - a.y);
}

void flatten(StagePath& path) {
  constexpr double kShare = 0.6;
  const auto nearer = [](Point& control, const Point& dock) {
    control = {dock.x + (control.x - dock.x) * kShare, dock.y + (control.y - dock.y) * kShare};
  };
  nearer(path.curve[1], path.curve[0]);
  nearer(path.curve[2], path.curve[3]);
}

// Around a circle, ways outside are easier to follow than ways through the middle.
double through_middle(const StagePath& path, const StageLayout& layout) {
  if (!layout.around) return 0;
  const Point center = layout.area.center();
  const auto away = [&](Point p) { return std::hypot(p.x - center.x, p.y - center.y); };
  const double ends = (away(path.curve[0]) + away(path.curve[3])) / 2;
  return ends > 0 ? std::max(0.0, 1 - away(bezier(path.curve, 0.5)) / ends) : 0;
}

double cost_of(const StagePath& path, const StageLayout& layout, Rank to, double width,
               double height) {
  double cost = 0, length = 0;
  Point before = path.curve[0];
  // A curve stays within the box around its four points: all other cards are out of the way.
  Box reach{before.x, before.y, 0, 0};
  for (const Point& p : path.curve) reach = united(reach, {p.x, p.y, 0, 0});
  reach = {reach.x - width, reach.y - height, reach.width + 2 * width, reach.height + 2 * height};
  std::vector<const Box*> near;
  for (const Box& card : layout.cards)
    if (card.overlaps(reach)) near.push_back(&card);
  const Box inside = layout.area.grown(8);
  for (int i = 0; i <= kSamples; ++i) {
    const Point at = bezier(path.curve, static_cast<double>(i) / kSamples);
    length += std::hypot(at.x - before.x, at.y - before.y);
    before = at;
    const Box chip{at.x - width / 2, at.y - height / 2, width, height};
    if (!chip.inside(inside)) cost += 4;
    for (const Box* const card : near)
      if (card->overlaps(chip)) cost += 1;
    // Least of all where it will change something.
    if (layout.cards[static_cast<std::size_t>(to)].overlaps(chip)) cost += 10;
    for (const StageGroupBox& group : layout.groups)
      if (chip.overlaps({group.box.x + 6, group.box.y + 3, kGroupWords, 18})) cost += 1;
  }
  return cost + length / 2000 + 0.08 * through_middle(path, layout);
}

}  // namespace

std::vector<Point> StagePath::line() const {
  return {leaves,   leaves,   curve[0], curve[0], curve[1],
          curve[2], curve[3], curve[3], arrives,  arrives};
}

std::vector<StagePath> stage_paths(const StageLayout& layout, Rank from, Rank to, double chip_width,
                                   double chip_height, bool both_ways) {
  const Box &a = layout.cards[static_cast<std::size_t>(from)],
            &b = layout.cards[static_cast<std::size_t>(to)];
  std::vector<StagePath> all;
  const auto add_ways = [&](double bend) {
    for (int leave = 0; leave < 4; ++leave)
      for (int arrive = 0; arrive < 4; ++arrive) {
        const auto shift_at = [&](int side) {
          const bool upright = kSides[static_cast<std::size_t>(side)].x != 0;
          return both_ways ? (upright ? chip_height : chip_width) / 2 + 3 : 0.0;
        };
        // Who leaves looks outwards, who arrives looks inwards: both have their right hand elsewhere.
        const End out = end_of(a, leave, chip_width, chip_height, shift_at(leave));
        const End in = end_of(b, arrive, chip_width, chip_height, -shift_at(arrive));
        all.push_back(joined(out, in, layout.area.grown(8), bend));
        if (both_ways && leave == arrive && is_inner(all.back(), a, b)) flatten(all.back());
        all.back().cost = cost_of(all.back(), layout, to, chip_width, chip_height);
      }
  };
  add_ways(kUsualBend);
  for (const double bend : kOtherBends) {
    if (ranges::any_of(all, [](const StagePath& path) { return path.cost < 1; })) break;
    add_ways(bend);
  }
  ranges::stable_sort(all, {}, &StagePath::cost);
  return all;
}

}  // namespace rankscope
