// Finds ways between the cards, and parts those that meet.
#include "engine/diagrams/stage/stage_waits.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/scene/compose.h"

namespace rankscope {
namespace {

constexpr double kApart = 12;    // of arrows that leave and arrive at one place
constexpr int kWaySamples = 24;  // of a way, for what it crosses
constexpr double kLargestWords = 1.3;

void move(Point& point, Point by) {
  point.x += by.x;
  point.y += by.y;
}

/// Along the edge of a card at this point, towards `there`.
Point along_edge(Point edge, Point dock, Point there) {
  const bool upright = std::abs(dock.x - edge.x) > std::abs(dock.y - edge.y);
  const double way = upright ? there.y - edge.y : there.x - edge.x;
  const double by = way >= 0 ? kApart : -kApart;
  return upright ? Point{0, by} : Point{by, 0};
}

/// Between two nodes without cards; nothing where they stand so close that no arrow is seen.
std::optional<StagePath> straight(const StageLayout& layout, const StageTrouble::Wait& wait) {
  constexpr double kLeastSeen = 6, kClear = 2;
  const Box &from = layout.cards[static_cast<std::size_t>(wait.rank)],
            &to = layout.cards[static_cast<std::size_t>(wait.on)];
  const Point a = from.center(), b = to.center();
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  const double first = from.width / 2 + kClear, last = length - to.width / 2 - kClear;
  if (last - first < kLeastSeen) return std::nullopt;
  const auto at = [&](double along) {
    return Point{a.x + (b.x - a.x) * along / length, a.y + (b.y - a.y) * along / length};
  };
  StagePath path;
  path.leaves = at(first);
  path.arrives = at(last);
  path.curve = {path.leaves, at(first + (last - first) / 3), at(last - (last - first) / 3),
                path.arrives};
  return path;
}

}  // namespace

StageWaits::StageWaits(const StageLayout& layout, const StageTrouble& trouble, const Ruler& ruler)
    : trouble_(trouble),
      ruler_(ruler),
      words_(layout.style.words || layout.style.counts),
      thin_(!layout.style.numbered),
      scale_(std::min(layout.style.scale, kLargestWords)),
      font_{kCaptionStrong.size * scale_, kCaptionStrong.weight, false} {
  for (const auto& wait : trouble_.waits) {
    if (wait.on < 0 || wait.on == wait.rank) continue;
    const auto* back = trouble_.of(wait.on);
    const bool both = back != nullptr && back->on == wait.rank;
    const Box pill = pill_of(wait);
    if (layout.style.bars < 0) {
      if (const auto path = straight(layout, wait)) arrows_.push_back({&wait, *path});
      continue;
    }
    arrows_.push_back(
        {&wait, stage_paths(layout, wait.rank, wait.on, pill.width, pill.height, both).front()});
  }
  if (layout.style.bars >= 0) part();
}

Box StageWaits::pill_of(const StageTrouble::Wait& wait) const {
  if (!words_) return {0, 0, 12, 12};
  return {0, 0, ruler_.width(wait.size, font_) + 16 * scale_, 22 * scale_};
}

/// Lines that leave a card keep clear of those that arrive there: each towards its own other end.
void StageWaits::part() {
  const auto parted = arrows_;
  for (std::size_t i = 0; i < parted.size(); ++i)
    for (std::size_t j = 0; j < parted.size(); ++j) {
      const StagePath &from = parted[i].path, &to = parted[j].path;
      if (i == j || std::hypot(from.leaves.x - to.arrives.x, from.leaves.y - to.arrives.y) > kApart)
        continue;
      const Point out = along_edge(from.leaves, from.curve[0], from.arrives);
      const Point in = along_edge(to.arrives, to.curve[3], to.leaves);
      if (out == in) continue;  // both come from there: they would not part
      StagePath &left = arrows_[i].path, &right = arrows_[j].path;
      for (Point* point : {&left.leaves, &left.curve[0], &left.curve[1]}) move(*point, out);
      for (Point* point : {&right.arrives, &right.curve[3], &right.curve[2]}) move(*point, in);
    }
}

bool StageWaits::cross(const Box& box) const {
  return ranges::any_of(arrows_, [&](const Arrow& arrow) {
    for (int i = 0; i <= kWaySamples; ++i)
      if (box.contains(bezier(arrow.path.curve, static_cast<double>(i) / kWaySamples))) return true;
    return false;
  });
}

void StageWaits::draw(Drawing& pen) const {
  std::vector<Box> taken;
  for (const auto& [wait, path] : arrows_) {
    pen.new_group(Group{fmt::format("wait-{}-{}", wait->rank, wait->on),
                        fmt::format("rank {}: {}\n{}", wait->rank, wait->what, wait->why)});
    const Ink ink{wait->root ? Tone::error : Tone::muted};
    Mark& line = pen.path(path.line(), ink, wait->root && !thin_ ? 2.2 : 1.4);
    line.dotted = line.arrow = true;
    if (!words_ || path.cost >= 1 || !wait->root) continue;
    const Point middle = point_along(path.curve, 0.5);
    const Box pill = pill_of(*wait);
    const Box box{middle.x - pill.width / 2, middle.y - pill.height / 2, pill.width, pill.height};
    if (ranges::any_of(taken, [&](const Box& other) { return other.overlaps(box); })) continue;
    taken.push_back(box);
    pen.box(box, Ink{Tone::page}, Ink{Tone::error}, 6, 1.5);
    pen.level(wait->size, box.center(), font_, {Tone::error});
  }
  pen.group(-1);
}

}  // namespace rankscope
