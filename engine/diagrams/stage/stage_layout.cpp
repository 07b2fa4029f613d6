// Tries styles of cards from the richest to the poorest, and arrangements, until one has room.
#include "engine/diagrams/stage/stage_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/stage/stage.h"
#include "engine/diagrams/stage/stage_styles.h"

namespace rankscope {
namespace {

constexpr double kGroupPad = 12, kGroupName = 20, kTreeGap = 30, kRingGap = 16, kCrossingGap = 84,
                 kWideGap = 140, kWaitGap = 26;  // an arrow is seen
constexpr double kForNumbers = 18;               // around a circle
constexpr double kChipGap = 46,
                 kTileGap = 24;  // so that a chip, or a tile, passes between two cards

// ---- Arrangements --------------------------------------------------------------------------------

// On whole pixels; halves down, whatever was lost in computing them.
Box around(Point center, const StageStyle& style) {
  const auto whole = [](double x) { return std::floor(x + 0.499); };
  return {whole(center.x - style.width / 2), whole(center.y - style.height / 2), style.width,
          style.height};
}

// At even distances along |x|^p + |y|^p = 1, clockwise from the top.
std::vector<Point> on_curve(int n, double p, const Box& inner) {
  constexpr int kPieces = 720;
  const auto on = [&](double i) {
    const double angle = 2 * std::numbers::pi * i / kPieces - std::numbers::pi / 2;
    const double x = std::cos(angle), y = std::sin(angle);
    const double r = std::pow(std::pow(std::abs(x), p) + std::pow(std::abs(y), p), -1 / p);
    return Point{inner.center().x + r * x * inner.width / 2,
                 inner.center().y + r * y * inner.height / 2};
  };
  std::vector<double> length(kPieces + 1, 0);
  for (int i = 1; i <= kPieces; ++i) {
    const Point a = on(i - 1), b = on(i);
    length[static_cast<std::size_t>(i)] =
        length[static_cast<std::size_t>(i - 1)] + std::hypot(b.x - a.x, b.y - a.y);
  }
  std::vector<Point> at;
  for (int k = 0; k < n; ++k) {
    const double wanted = length.back() * k / n;
    // Between two points, so that what stands opposite is exactly opposite.
    const auto next =
        std::max<std::ptrdiff_t>(ranges::lower_bound(length, wanted) - length.begin(), 1);
    const double after = length[static_cast<std::size_t>(next)],
                 before = length[static_cast<std::size_t>(next) - 1];
    at.push_back(on(static_cast<double>(next) - (after - wanted) / (after - before)));
  }
  return at;
}

bool apart(const std::vector<Box>& cards, double gap_x, double gap_y) {
  for (std::size_t i = 0; i < cards.size(); ++i)
    for (std::size_t j = i + 1; j < cards.size(); ++j) {
      const Box& a = cards[i];
      if (Box{a.x - gap_x, a.y - gap_y, a.width + 2 * gap_x, a.height + 2 * gap_y}.overlaps(
              cards[j]))
        return false;
    }
  return true;
}

class Arranger {
 public:
  Arranger(const StageModel& model, const StageTopology& topology, const Box& area,
           double least_gap)
      : model_(model), topology_(topology), area_(area), least_gap_(least_gap) {}

  bool arrange(StageLayout& layout) {
    const StageStyle& style = layout.style;
    layout.area = area_;
    // Numbers of nodes that have no room for them stand outside.
    if (!style.numbered && topology_.shape == StageForm::circle)
      layout.area = area_.grown(-kForNumbers);
    const Box& area = layout.area;
    inner_ = {area.x + style.width / 2, area.y + style.height / 2, area.width - style.width,
              area.height - style.height};
    if (inner_.width < 0 || inner_.height < 0) return false;
    switch (topology_.shape) {
      case StageForm::star: return star(layout);
      case StageForm::spread: return spread(layout);
      case StageForm::groups: return groups(layout);
      default: return circle(layout);
    }
  }

  /// Places a ring in two rows, for a low pane.
  bool rows(StageLayout& layout) const {
    const int n = model_.world(), columns = (n + 1) / 2;
    const StageStyle& style = layout.style;
    if (!is_low_ring() || !style.numbered) return false;
    StageChains ring(1, std::vector<Rank>(static_cast<std::size_t>(n)));
    std::iota(ring[0].begin(), ring[0].end(), 0);
    layout.area = area_;
    // From edge to edge, unless messages go around the ends; between two cards one is seen to move.
    const bool upright = area_.height - 2 * style.height >= kChipGap;
    const double side = upright ? 0 : 40, gap = upright ? 36 : kChipGap;
    const double pitch = (area_.width - 2 * side - style.width) / (columns - 1);
    Box room = area_;
    room.x += side + (style.width - pitch) / 2, room.width = columns * pitch;
    put(layout, partner_places(ring, n, 1, room, {0, 0, style.width, style.height}));
    return apart(layout.cards, gap, 8);
  }

  /// Arranges each round's chains; before the first round the ranks stand as in it.
  bool partners(StageLayout& layout) const {
    const int n = model_.world();
    std::vector<StageChains> rounds = topology_.partners;
    if (rounds.size() > 1) rounds[0] = rounds[1];
    layout.area = area_;
    for (const int bands : {1, 2, 3}) {
      layout.steps.clear();
      if (area_.height / bands < 2 * layout.style.height + kChipGap) break;
      const bool fits = ranges::all_of(rounds, [&](const StageChains& chains) {
        const auto at = partner_places(chains, n, bands, area_,
                                       {0, 0, layout.style.width, layout.style.height});
        if (at.empty()) return false;
        put(layout, at);
        layout.steps.push_back(layout.cards);
        return apart(layout.cards, 8, 8);
      });
      layout.cards = layout.steps.empty() ? std::vector<Box>() : layout.steps.front();
      if (fits) return true;
    }
    return false;
  }

  static void put(StageLayout& layout, const std::vector<Point>& at) {
    layout.cards.clear();
    for (const Point& p : at) layout.cards.push_back(around(p, layout.style));
  }

 private:
  /// At the sides of a low pane no card has room.
  bool is_low_ring() const {
    return area_.height < 170 && topology_.shape == StageForm::circle && !topology_.crossing &&
           model_.world() > StageForms::still;
  }

  // Not as flat as a pane may be: a circle should look like one.
  Box round_part() const {
    const double width = inner_.width, height = inner_.height;
    return Box::around(inner_.center(), std::min(width, std::max(2.1 * height, 60.0)),
                       std::min(height, std::max(1.5 * width, 60.0)));
  }

  Box middle(double high) const { return Box::around(area_.center(), 1.8 * high, high); }
  // The middle stays open: that is where messages pass, and where the phase is named.
  bool open(StageLayout& layout, double least) const {
    return ranges::none_of(layout.cards,
                           [&](const Box& card) { return card.overlaps(middle(least)); });
  }

  static bool is_small(const StageStyle& style) { return style.level && style.slot_width < 8; }

  bool circle(StageLayout& layout) const {
    const int n = model_.world();
    layout.around = true;
    if (n <= 2) {
      const double y = inner_.center().y, reach = std::min(inner_.width / 2, 420.0);
      put(layout, n == 1 ? std::vector<Point>{inner_.center()}
                         : std::vector<Point>{{inner_.center().x - reach, y},
                                              {inner_.center().x + reach, y}});
      return apart(layout.cards, n == 1 ? 0 : 140, 0);
    }
    const bool crossing = topology_.crossing && layout.style.digits;
    const bool close = layout.style.level && (layout.rows > 8 || is_small(layout.style));
    const double usual = layout.style.dot           ? 2
                         : close                    ? kRingGap / 2
                         : layout.style.columns > 0 ? kTileGap + 12
                         : crossing                 ? kCrossingGap
                         : layout.style.labels      ? kRingGap + 14
                                                    : kTileGap;
    const double gap = layout.style.dot ? usual : std::max(usual, least_gap_);
    for (const double power : {2.0, 3.0, 5.0}) {
      if (is_low_ring()) break;
      put(layout, on_curve(n, power, round_part()));
      const double least = std::min(crossing ? 240.0 : 180.0,
                                    std::min(area_.width, area_.height) / (crossing ? 3.2 : 4));
      if (!apart(layout.cards, gap, gap) || !open(layout, least)) continue;
      layout.note = middle(least);
      return true;
    }
    put(layout, on_curve(n, layout.style.dot && is_low_ring() ? 20 : 5, inner_));
    if (!apart(layout.cards, gap, gap) || !open(layout, 60)) return false;
    if (open(layout, 120)) layout.note = middle(120);
    return true;
  }

  bool star(StageLayout& layout) const {
    for (const double power : {2.0, 3.0, 5.0}) {
      auto at = on_curve(model_.world() - 1, power, round_part());
      at.insert(at.begin() + topology_.middle, inner_.center());
      put(layout, at);
      if (apart(layout.cards, kRingGap, kRingGap)) return true;
    }
    return false;
  }

  bool spread(StageLayout& layout) const {
    const bool rich = layout.style.labels || layout.style.words || layout.style.digits;
    const double gap_y = layout.style.dot   ? 6
                         : rich             ? kChipGap
                         : topology_.levels ? kTreeGap
                                            : kTreeGap + 6;
    // Letters grow only where messages between neighbours keep a way that is seen.
    const double gap_x = layout.style.dot || is_small(layout.style) ? 4
                         : topology_.levels                         ? 10
                         : layout.style.scale > 1                   ? kWideGap
                                                                    : kTreeGap + 20;
    for (const auto& places : topology_.places) {
      std::vector<Point> at;
      for (const Point& p : places)
        at.push_back({inner_.x + p.x * inner_.width, inner_.y + p.y * inner_.height});
      put(layout, at);
      if (apart(layout.cards, gap_x, gap_y)) return true;
    }
    return false;
  }

  // Chooses the squarest numbers of columns, of groups and of ranks in each group, that have room. Four groups form a square
  // if possible, so that none is between two others.
  bool groups(StageLayout& layout) const {
    const int count = static_cast<int>(topology_.groups.size());
    std::size_t most = 0;
    for (const auto& group : topology_.groups) most = std::max(most, group.size());
    double best = -1;
    std::array<int, 2> columns{};
    const auto look = [&](int first, int last) {
      for (int across = first; across <= last; ++across)
        for (int inside = 1; inside <= static_cast<int>(most); ++inside) {
          const double spare = spare_room(layout.style, across, inside, static_cast<int>(most));
          if (spare > best) best = spare, columns = {across, inside};
        }
      return best >= gap_in_group(layout.style);
    };
    if (!(count == 4 && look(2, 2)) && !look(1, count)) return false;
    put_groups(layout, columns[0], columns[1], static_cast<int>(most));
    return true;
  }

  static double gap_in_group(const StageStyle& style) {
    if (style.dot) return style.numbered ? 8 : 4;
    return style.labels || style.words ? kChipGap - 6 : kTileGap;
  }

  Point group_gap() const {
    return {area_.width > 700 ? 56.0 : 20.0, area_.height > 500 ? 48.0 : 20.0};
  }

  // Between two cards of a group, the smaller of both ways.
  double spare_room(const StageStyle& style, int across, int inside, int most) const {
    const int count = static_cast<int>(topology_.groups.size());
    const int down = (count + across - 1) / across, rows = (most + inside - 1) / inside;
    const double width = (area_.width - (across - 1) * group_gap().x) / across - 2 * kGroupPad;
    const double height =
        (area_.height - (down - 1) * group_gap().y) / down - 2 * kGroupPad - kGroupName;
    const double x = inside > 1 ? (width - inside * style.width) / (inside - 1)
                                : (width >= style.width ? 60 : -1);
    const double y =
        rows > 1 ? (height - rows * style.height) / (rows - 1) : (height >= style.height ? 60 : -1);
    return std::min(std::min(x, y), 60.0);
  }

  void put_groups(StageLayout& layout, int across, int inside, int most) const {
    const int count = static_cast<int>(topology_.groups.size());
    const int down = (count + across - 1) / across, rows = (most + inside - 1) / inside;
    const Point gap = group_gap();
    const double width = (area_.width - (across - 1) * gap.x) / across;
    const double height = (area_.height - (down - 1) * gap.y) / down;
    layout.cards.assign(static_cast<std::size_t>(model_.world()), {});
    layout.groups.clear();
    for (int g = 0; g < count; ++g) {
      const Box box{area_.x + (g % across) * (width + gap.x),
                    area_.y + static_cast<double>(g / across) * (height + gap.y), width, height};
      const bool left = topology_.leaders && across == 2 && g % 2 == 0;
      layout.groups.push_back({box, fmt::format("group {}", g), left});
      const Box in{box.x + kGroupPad, box.y + kGroupPad + kGroupName, width - 2 * kGroupPad,
                   height - 2 * kGroupPad - kGroupName};
      // Leaders stand where two columns or rows of groups meet.
      const auto along = [&](double from, double room, double size, int k, int of, bool meets) {
        if (topology_.leaders) return from + room * ((meets ? of - 1 - k : k) + 0.5) / of;
        return of < 2 ? from + room / 2 : from + size / 2 + (room - size) * k / (of - 1.0);
      };
      const auto& members = topology_.groups[static_cast<std::size_t>(g)];
      for (int i = 0; i < static_cast<int>(members.size()); ++i)
        layout.cards[static_cast<std::size_t>(members[static_cast<std::size_t>(i)])] =
            around({along(in.x, in.width, layout.style.width, i % inside, inside, left),
                    along(in.y, in.height, layout.style.height, i / inside, rows,
                          down == 2 && g < across)},
                   layout.style);
    }
  }

  const StageModel& model_;
  const StageTopology& topology_;
  const Box area_;
  const double least_gap_;  ///< Gap between cards around a circle.
  Box inner_;
};

}  // namespace

const std::vector<Box>& StageLayout::cards_in(int round) const {
  if (steps.empty()) return cards;
  return steps[std::min(static_cast<std::size_t>(std::max(round, 0)), steps.size() - 1)];
}

double StageLayout::slot_width(int chunk, double longest) const {
  const auto at = static_cast<std::size_t>(chunk);
  if (chunk < 0 || at >= lengths.size()) return longest;
  return std::max(lengths[at] * longest, std::min(style.least_slot, longest));
}

Box StageLayout::row_on(const Box& card, int chunk) const {
  if (style.dot) return card;
  if (style.columns > 0) return slot_on(card, chunk, 0).grown(2);
  return {card.x + style.pad / 2, card.y + style.head + chunk * style.pitch, card.width - style.pad,
          style.pitch};
}

Box StageLayout::slot_on(const Box& card, int chunk, int number) const {
  if (style.columns > 0)
    return {card.x + style.pad + chunk % style.columns * (style.slot_width + style.gap),
            card.y + style.head + chunk / style.columns * style.pitch,
            slot_width(chunk, style.slot_width), style.slot_height};
  const Box line = row_on(card, chunk);
  if (style.dot) return Box::around(line.center(), 6, 6);
  const int at = style.per_line > 0 ? number % style.per_line : number;
  const double width = slot_width(chunk, style.slot_width);
  const double x = card.x + style.pad + style.label_width + at * (width + style.gap);
  if (style.per_line > 0)
    return {x, card.y + style.head + number / style.per_line * (style.slot_height + style.gap),
            style.slot_width, style.slot_height};
  return {x, line.center().y - style.slot_height / 2, width, style.slot_height};
}

Point StageLayout::plus(Rank rank, int chunk) const {
  const Box line = row(rank, chunk);
  const Box& card = cards[static_cast<std::size_t>(rank)];
  if (style.per_line > 0 && style.plus_width <= 0)
    return {card.right() - style.pad - 5 * style.scale, card.y + style.head / 2};
  if (style.plus_width <= 0) return {card.right() - style.pad / 2, line.center().y};
  return {card.x + style.pad + style.label_width + style.slots_width + style.plus_width / 2,
          line.center().y};
}

StageLayout stage_layout(const StageModel& model, const StageTopology& topology, const Box& area,
                         const StageWishes& wishes, const Ruler& ruler,
                         const std::function<bool(StageLayout&, bool)>& holds) {
  Arranger arranger(model, topology, area, wishes.trouble ? kWaitGap : 0);
  StageLayout layout;
  layout.rows = model.chunks();
  layout.slots = model.slots();
  const Count whole = model.analysis().pieces().whole();
  if (layout.rows > 1 && !model.regroups() && whole > 0) {
    const Partition chunks(whole, layout.rows);
    for (int c = 0; c < layout.rows; ++c)
      layout.lengths.push_back(static_cast<double>(chunks[c].count) /
                               static_cast<double>(chunks.longest()));
  }
  const StageLayout empty = layout;
  const auto styles = stage_styles(model, wishes.values);
  const auto try_style = [&](const StageStyle& style, const auto& fits) {
    for (const double scale : kStageScales) {
      if (style.dot && scale > 1) continue;
      layout = empty;
      layout.style = measured_style(style, model, wishes, scale, ruler);
      if (fits()) return true;
    }
    return false;
  };
  struct Attempt {
    bool partners = false, tiles = false, may_cross = false, straight = false, rows = false;
  };
  const auto try_rich = [&](std::initializer_list<Attempt> attempts) {
    return ranges::any_of(styles, [&](const StageStyle& style) {
      return !style.dot && ranges::any_of(attempts, [&](const Attempt& one) {
        return try_style(style, [&] {
          layout.may_cross = one.may_cross;
          layout.straight = one.straight;
          return (one.partners ? arranger.partners(layout)
                  : one.rows   ? arranger.rows(layout)
                               : arranger.arrange(layout)) &&
                 ((one.rows && one.tiles) || holds(layout, one.tiles));
        });
      });
    });
  };
  const Attempt still{.may_cross = topology.crossing || topology.shape == StageForm::spread},
      near{.partners = true}, near_straight{.partners = true, .straight = true},
      tiles{.partners = true, .tiles = true, .may_cross = true},
      near_across{.partners = true, .may_cross = true}, still_across{.may_cross = true};
  // Keeps a tree as long as it can be read; otherwise takes the form that shows more.
  if (!topology.partners.empty()) {
    if ((topology.levels && try_rich({still})) ||
        (topology.levels || topology.crossing ? try_rich({near}) : try_rich({still, near})) ||
        try_rich({near_straight, near_across}) || try_rich({tiles}))
      return layout;
  } else if (!wishes.trouble && model.world() <= StageForms::contents &&
             (try_rich({{.rows = true}}) || try_rich({still}) ||
              try_rich({{.tiles = true, .rows = true}}) || try_rich({still_across}))) {
    return layout;
  }
  for (const StageStyle& style : styles)
    if (try_style(style, [&] { return arranger.rows(layout) || arranger.arrange(layout); }))
      return layout;
  // No room even for dots: they stand closer than they should, and still inside.
  const Box inner = area.grown(-kForNumbers);
  layout.around = layout.around && inner.height >= 40;
  layout.area = layout.around ? inner : area;
  Arranger::put(layout, on_curve(model.world(), 5, layout.around ? inner : area.grown(-8)));
  return layout;
}

namespace {

constexpr double kBeside = 6;       // between a card and the chip beside it
constexpr double kGroupWords = 66;  // "group 12"
constexpr int kSamples = 16;
constexpr double kUsualBend = 0.42;
/// Tried when no usual way is free: flat ways between two rows, and wide ones around.
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

// Two ways that leave and arrive at the same sides: one lies in the other's bow.
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

// Around a circle one bend is calmer than two, and leaves the other sides free: neighbours on both sides look alike.
double twice_bent(const StagePath& path, const StageLayout& layout) {
  if (!layout.around || layout.cards.empty()) return 0;
  const Point out{path.curve[0].x - path.leaves.x, path.curve[0].y - path.leaves.y},
      in{path.arrives.x - path.curve[3].x, path.arrives.y - path.curve[3].y};
  if (out.x * in.x + out.y * in.y <= 0) return 0;
  const bool flat = std::abs(out.x) > std::abs(out.y);
  const double aside = flat ? std::abs(path.curve[3].y - path.curve[0].y) / layout.cards[0].height
                            : std::abs(path.curve[3].x - path.curve[0].x) / layout.cards[0].width;
  return std::min(1.0, aside);
}

/// Returns whether a message between two cards that stand aslant leaves up or down and arrives from the side: then the one that comes
/// back, which does the same, keeps away from it all the way.
bool keeps_away(const Box& from, const Box& to, int leave, int arrive) {
  const double x = to.center().x - from.center().x, y = to.center().y - from.center().y;
  const Point out = kSides[static_cast<std::size_t>(leave)],
              in = kSides[static_cast<std::size_t>(arrive)];
  return std::abs(x) > from.width && std::abs(y) > from.height / 2 &&
         std::abs(y) < 1.5 * from.height && out.y * y > 0 && in.x * x < 0;
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
    const Box chip = Box::around(at, width, height);
    if (!chip.inside(inside)) cost += 4;
    for (const Box* const card : near)
      if (card->overlaps(chip)) cost += 1;
    // Least of all where it will change something.
    if (layout.cards[static_cast<std::size_t>(to)].overlaps(chip)) cost += 10;
    for (const StageGroupBox& group : layout.groups)
      if (chip.overlaps({group.named_left ? group.box.x + 6 : group.box.right() - 6 - kGroupWords,
                         group.box.y + 3, kGroupWords, 18}))
        cost += 1;
  }
  return cost + length / 2000 + 0.4 * through_middle(path, layout) +
         0.14 * twice_bent(path, layout);
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
        // A message looks outwards as it leaves and inwards as it arrives: the right-hand side changes.
        constexpr double kKeepsAway = 0.25, kFlat = 0.2, kOutwards = 0.4;
        const bool apart = both_ways && !layout.around && keeps_away(a, b, leave, arrive);
        const End out = end_of(a, leave, chip_width, chip_height, shift_at(leave));
        const End in =
            end_of(b, arrive, chip_width, chip_height, (apart ? kOutwards : -1) * shift_at(arrive));
        all.push_back(joined(out, in, layout.area.grown(8), apart ? std::min(bend, kFlat) : bend));
        const bool bows = both_ways && leave == arrive, inner = bows && is_inner(all.back(), a, b);
        if (inner) flatten(all.back());
        all.back().cost =
            cost_of(all.back(), layout, to, chip_width, chip_height) - (apart ? kKeepsAway : 0);
        if (!bows || inner || bend >= kUsualBend) continue;
        // Of two flat ones, the outer one shows beside the inner one if it bows a little further.
        StagePath further = all.back();
        constexpr double kFurther = 1.25, kPreferred = 0.05;
        for (const std::size_t i : {1, 2}) {
          const End& end = i == 1 ? out : in;
          further.curve[i] = {end.dock.x + end.normal.x * kFurther * chip_width,
                              end.dock.y + end.normal.y * kFurther * chip_height};
        }
        further.cost = cost_of(further, layout, to, chip_width, chip_height) - kPreferred;
        all.push_back(std::move(further));
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
