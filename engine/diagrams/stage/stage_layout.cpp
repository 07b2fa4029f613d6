// Tries styles of cards from the richest to the poorest, and arrangements, until one has room.
#include "engine/diagrams/stage/stage_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>

namespace rankscope {
namespace {

constexpr double kGroupPad = 12, kGroupName = 20, kTreeGap = 30, kRingGap = 16, kCrossingGap = 84;

// ---- Styles --------------------------------------------------------------------------------------

StageStyle bars_style(int bars, double width, double height, double pitch, bool named) {
  StageStyle style;
  style.bars = bars;
  style.named = named;
  style.slot_width = width;
  style.slot_height = height;
  style.gap = 0;
  style.pitch = pitch;
  style.pad = 4;
  style.head = 18;
  return style;
}

StageStyle slots_style(double slot, double gap, double pitch, double pad, double head) {
  StageStyle style;
  style.slot_width = style.slot_height = slot;
  style.gap = gap;
  style.pitch = pitch;
  style.pad = pad;
  style.head = head;
  return style;
}

std::vector<StageStyle> all_styles(int chunks, bool values) {
  std::vector<StageStyle> styles;
  StageStyle full = slots_style(20, 4, 30, 12, 34);
  full.words = full.labels = full.digits = true;
  StageStyle tight = slots_style(18, 3, 23, 10, 28);
  tight.words = tight.labels = tight.digits = true;
  tight.slot_height = 17;
  StageStyle counted = slots_style(17, 2, 19, 8, 24);
  counted.counts = counted.labels = counted.digits = true;
  counted.slot_height = 16;
  StageStyle named = slots_style(10, 2, 17, 8, 24);
  named.counts = named.labels = true;
  styles = {full, tight, counted, named};
  if (values) return {full, tight, counted, named, bars_style(1, 24, 4, 6, false)};
  styles.push_back(slots_style(9, 2, 11, 7, 23));
  styles.push_back(slots_style(6, 1, 7, 6, 21));
  styles.push_back(slots_style(4, 1, 5, 5, 20));
  styles.back().named = false;
  styles.push_back(slots_style(3, 0.5, 4, 4, 18));
  styles.back().named = false;
  for (const int bars : {16, 8, 4})
    if (chunks > bars) styles.push_back(bars_style(bars, 36, 3, 4.5, false));
  styles.push_back(bars_style(std::min(chunks, 4), 24, 4, 5.5, false));
  styles.push_back(bars_style(std::min(chunks, 2), 18, 3, 4, false));
  styles.back().pad = 2;
  StageStyle dot = bars_style(0, 0, 0, 0, false);
  dot.bars = -1;  // nothing but its number
  dot.pad = 3;
  dot.head = 16;
  styles.push_back(dot);
  dot.numbered = false;
  dot.head = 8;
  dot.pad = 0;
  styles.push_back(dot);
  return styles;
}

// What the words need; everything scaled.
StageStyle measured(StageStyle style, const StageModel& model, const StageWishes& wishes,
                    double scale, const Ruler& ruler) {
  const bool values = wishes.values;
  style.scale = scale;
  const int n = model.world(), chunks = model.chunks();
  const auto width = [&](const std::string& text, const Font& font) {
    return ruler.width(text, style.letters(font));
  };
  const std::string widest = fmt::format("{}", n - 1), of_all = fmt::format("{} of {}", n, n);
  for (double* length :
       {&style.slot_width, &style.slot_height, &style.gap, &style.pitch, &style.pad, &style.head})
    *length *= scale;
  const bool pairs = model.regroups() && style.digits;
  if (style.digits) {
    const std::string in_slot = pairs ? fmt::format("{}→{}", widest, widest) : widest;
    style.slot_width = std::max(style.slot_width, width(in_slot, kCaptionStrong) + 5 * scale);
  }
  if (values && style.bars == 0) style.slot_width = width("100, 1000, 1000 …", kFigures);
  else if (model.slots() == 1 && style.bars == 0 && !pairs)
    style.slot_width *= style.digits ? 2 : 3;
  const bool one_row = chunks == 1;
  if (style.labels && !one_row && !model.regroups())
    style.label_width = width(fmt::format("c{}", chunks - 1), kCaptionStrong) + 18 * scale;
  const int slots = values || style.bars > 0 ? 1 : model.slots();
  style.slots_width = slots * (style.slot_width + style.gap) - style.gap;
  if (model.reduces() && style.bars == 0)
    style.plus_width = (style.words ? 28 : style.labels ? 20 : 14) * scale;
  if (style.words) {
    style.sent_width = width("sent", kCaption) + 10 * scale;
    style.count_width =
        width(model.reduces() ? of_all : "from rank " + widest, kCaption) + 8 * scale;
  } else if (style.counts && model.reduces()) {
    style.count_width = width(fmt::format("{0}/{0}", n), kCaption) + 6 * scale;
  }
  const double name =
      width(style.named ? "rank " + widest : widest, style.named ? kBodyStrong : kCaptionStrong);
  double least = style.numbered ? name : 8 * scale;
  if (style.words)
    least += 16 * scale + width(fmt::format("adds c{0} from rank {0}", widest), kCaption);
  double body = 0;
  if (chunks > 0 && style.bars >= 0)
    body = style.label_width + style.slots_width + style.plus_width + style.sent_width +
           style.count_width;
  const int rows = style.bars > 0 ? style.bars : style.bars < 0 ? 0 : chunks;
  style.width = std::ceil(2 * style.pad + std::max(least, body));
  if (wishes.trouble && (style.words || style.counts)) style.foot = 44 * scale;
  style.height =
      std::ceil(style.head + rows * style.pitch + style.foot + (rows > 0 ? style.pad : 0));
  if (style.foot > 0)
    style.width = std::max(
        style.width,
        std::ceil(2 * style.pad + width("waits for rank " + widest + " to receive", kCaption)));
  return style;
}

// ---- Arrangements --------------------------------------------------------------------------------

Box around(Point center, const StageStyle& style) {
  return {std::round(center.x - style.width / 2), std::round(center.y - style.height / 2),
          style.width, style.height};
}

// At even distances along |x|^p + |y|^p = 1, clockwise from the top.
std::vector<Point> on_curve(int n, double p, const Box& inner) {
  constexpr int kPieces = 720;
  const auto on = [&](int i) {
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
    const auto found = std::ranges::lower_bound(length, wanted);
    at.push_back(on(static_cast<int>(found - length.begin())));
  }
  return at;
}

bool apart(const std::vector<Box>& cards, double gap_x, double gap_y) {
  for (std::size_t i = 0; i < cards.size(); ++i)
    for (std::size_t j = i + 1; j < cards.size(); ++j) {
      const Box &a = cards[i], &b = cards[j];
      const bool clear = b.x >= a.right() + gap_x || a.x >= b.right() + gap_x ||
                         b.y >= a.bottom() + gap_y || a.y >= b.bottom() + gap_y;
      if (!clear) return false;
    }
  return true;
}

class Arranger {
 public:
  Arranger(const StageModel& model, const StageTopology& topology, const Box& area)
      : model_(model), topology_(topology), area_(area) {}

  bool arrange(StageLayout& layout) {
    const StageStyle& style = layout.style;
    layout.area = area_;
    inner_ = {area_.x + style.width / 2, area_.y + style.height / 2, area_.width - style.width,
              area_.height - style.height};
    if (inner_.width < 0 || inner_.height < 0) return false;
    using Shape = StageTopology::Shape;
    switch (topology_.shape) {
      case Shape::circle: return circle(layout);
      case Shape::star: return star(layout);
      case Shape::spread: return spread(layout);
      case Shape::groups: return groups(layout);
    }
    return false;
  }

 private:
  // Not as flat as a pane may be: a circle should look like one.
  Box round_part() const {
    Box box = inner_;
    const double most = std::max(2.1 * box.height, 60.0), tall = std::max(1.5 * box.width, 60.0);
    if (box.width > most) box.x += (box.width - most) / 2, box.width = most;
    if (box.height > tall) box.y += (box.height - tall) / 2, box.height = tall;
    return box;
  }

  static void put(StageLayout& layout, const std::vector<Point>& at) {
    layout.cards.clear();
    for (const Point& p : at) layout.cards.push_back(around(p, layout.style));
  }

  // The middle stays open: that is where messages pass, and where the phase is named.
  bool open(StageLayout& layout, double least) const {
    const Box hole = around(area_.center(), layout.style);
    Box room = hole;
    room.x = area_.center().x - least * 0.9;
    room.width = least * 1.8;
    room.y = area_.center().y - least / 2;
    room.height = least;
    return std::ranges::none_of(layout.cards, [&](const Box& card) { return card.overlaps(room); });
  }

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
    const double gap = layout.style.bars < 0 ? 2
                       : crossing            ? kCrossingGap
                       : layout.style.labels ? kRingGap + 14
                                             : kRingGap / 2;
    for (const double power : {2.0, 3.0, 5.0}) {
      put(layout, on_curve(n, power, round_part()));
      const double least = std::min(crossing ? 240.0 : 180.0,
                                    std::min(area_.width, area_.height) / (crossing ? 3.2 : 4));
      if (!apart(layout.cards, gap, gap) || !open(layout, least)) continue;
      layout.note = {area_.center().x - 0.9 * least, area_.center().y - least / 2, 1.8 * least,
                     least};
      return true;
    }
    put(layout, on_curve(n, 5, inner_));
    return apart(layout.cards, gap, gap) && open(layout, 60);
  }

  bool star(StageLayout& layout) const {
    const int n = model_.world();
    for (const double power : {2.0, 3.0, 5.0}) {
      const auto ring = on_curve(n - 1, power, round_part());
      std::vector<Point> at;
      for (int i = 0; i < n; ++i)
        at.push_back(i == topology_.middle
                         ? inner_.center()
                         : ring[static_cast<std::size_t>(i < topology_.middle ? i : i - 1)]);
      put(layout, at);
      if (apart(layout.cards, kRingGap, kRingGap)) return true;
    }
    return false;
  }

  bool spread(StageLayout& layout) const {
    const double gap_y = layout.style.bars < 0 ? 6 : topology_.levels ? kTreeGap : kTreeGap + 6;
    const double gap_x = layout.style.bars != 0 ? 4 : topology_.levels ? 10 : kTreeGap + 20;
    for (const auto& places : topology_.places) {
      std::vector<Point> at;
      for (const Point& p : places)
        at.push_back({inner_.x + p.x * inner_.width, inner_.y + p.y * inner_.height});
      put(layout, at);
      if (apart(layout.cards, gap_x, gap_y)) return true;
    }
    return false;
  }

  // The same number of columns of groups, and of ranks in a group, for all: the squarest that has room.
  bool groups(StageLayout& layout) const {
    const int count = static_cast<int>(topology_.groups.size());
    std::size_t most = 0;
    for (const auto& group : topology_.groups) most = std::max(most, group.size());
    double best = -1;
    std::array<int, 2> columns{};
    for (int across = 1; across <= count; ++across)
      for (int inside = 1; inside <= static_cast<int>(most); ++inside) {
        const double spare = spare_room(layout.style, across, inside, static_cast<int>(most));
        if (spare > best) best = spare, columns = {across, inside};
      }
    if (best < (layout.style.bars != 0 ? 4 : 14)) return false;
    put_groups(layout, columns[0], columns[1], static_cast<int>(most));
    return true;
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
      layout.groups.push_back({box, fmt::format("group {}", g)});
      const Box in{box.x + kGroupPad, box.y + kGroupPad + kGroupName, width - 2 * kGroupPad,
                   height - 2 * kGroupPad - kGroupName};
      const auto& members = topology_.groups[static_cast<std::size_t>(g)];
      for (std::size_t i = 0; i < members.size(); ++i)
        layout.cards[static_cast<std::size_t>(members[i])] =
            around(place_in(in, layout.style, static_cast<int>(i), inside, rows), layout.style);
    }
  }

  static Point place_in(const Box& in, const StageStyle& style, int i, int inside, int rows) {
    const auto along = [](double from, double room, double size, int k, int of) {
      return of < 2 ? from + room / 2 : from + size / 2 + (room - size) * k / (of - 1.0);
    };
    return {along(in.x, in.width, style.width, i % inside, inside),
            along(in.y, in.height, style.height, i / inside, rows)};
  }

  const StageModel& model_;
  const StageTopology& topology_;
  const Box area_;
  Box inner_;
};

}  // namespace

Box StageLayout::row(Rank rank, int chunk) const {
  const Box& card = cards[static_cast<std::size_t>(rank)];
  int line = chunk;
  if (style.bars > 0 && rows > style.bars) line = chunk * style.bars / rows;
  if (style.bars < 0) return card;
  return {card.x + style.pad / 2, card.y + style.head + line * style.pitch, card.width - style.pad,
          style.pitch};
}

Box StageLayout::slot(Rank rank, int chunk, int number) const {
  const Box line = row(rank, chunk);
  if (style.bars < 0) return {line.center().x - 3, line.center().y - 3, 6, 6};
  const Box& card = cards[static_cast<std::size_t>(rank)];
  const int at = style.bars > 0 ? 0 : number;
  return {card.x + style.pad + style.label_width + at * (style.slot_width + style.gap),
          line.center().y - style.slot_height / 2, style.slot_width, style.slot_height};
}

Point StageLayout::plus(Rank rank, int chunk) const {
  const Box line = row(rank, chunk);
  const Box& card = cards[static_cast<std::size_t>(rank)];
  if (style.plus_width <= 0) return {card.right() - style.pad / 2, line.center().y};
  return {card.x + style.pad + style.label_width + style.slots_width + style.plus_width / 2,
          line.center().y};
}

StageLayout stage_layout(const StageModel& model, const StageTopology& topology, const Box& area,
                         const StageWishes& wishes, const Ruler& ruler) {
  Arranger arranger(model, topology, area);
  StageLayout layout;
  layout.rows = model.chunks();
  layout.slots = model.slots();
  const auto styles = all_styles(std::max(model.chunks(), 1), wishes.values);
  for (const StageStyle& style : styles)
    for (const double scale : {1.6, 1.3, 1.15, 1.0}) {
      if (style.bars < 0 && scale > 1) continue;
      layout.style = measured(style, model, wishes, scale, ruler);
      if (arranger.arrange(layout)) return layout;
    }
  // No room even for dots: they stand closer than they should, and still inside.
  layout.cards = {};
  for (const Point& p : on_curve(model.world(), 5, area.grown(-8)))
    layout.cards.push_back(around(p, layout.style));
  layout.area = area;
  return layout;
}

}  // namespace rankscope
