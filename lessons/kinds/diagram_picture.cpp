// Draws a student's diagram answer.
#include "lessons/kinds/diagram_picture.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr double kHead = 44, kTrack = 26, kLaneGap = 34;
constexpr double kLanes = 48;   // where the lanes begin, right of the ranks' numbers
constexpr double kCopies = 96;  // the column of local copies
constexpr double kSlotWidth = 208, kLead = 60, kEnd = 18;

class Picture {
 public:
  Picture(std::span<const DiagramArrow> arrows, int ranks, const Ruler& ruler)
      : ranks_(ranks), pen_(scene_, ruler) {
    for (const DiagramArrow& arrow : arrows) {
      if (arrow.from < 0 || arrow.from >= ranks || arrow.to < 0 || arrow.to >= ranks) {
        unplaced_.push_back(to_text(arrow));
        continue;
      }
      if (arrow.copy) {
        ++copies_[arrow.from];
        continue;
      }
      columns_.try_emplace(arrow.slot, 0);
      const int out = sends_[{arrow.slot, arrow.from}]++, in = receives_[{arrow.slot, arrow.to}]++;
      placed_.push_back({arrow, out, in});
    }
    int column = 0;
    for (auto& [slot, number] : columns_) number = column++;
    place_lanes();
  }

  Scene draw(std::string_view title) {
    draw_lanes();
    // Arrows are drawn first, so that none crosses a label.
    for (const Placed& one : placed_) draw_arrow(one);
    for (const Placed& one : placed_) draw_label(one);
    for (const auto& [rank, times] : copies_)
      pen_.pill(times == 1 ? "copy" : fmt::format("copy ×{}", times),
                {kLanes + kCopies / 2, middle(rank)}, {Tone::page}, {Tone::muted});
    Caption words;
    words.title = title;
    const auto messages = placed_.size();
    int copies = 0;
    for (const auto& [rank, times] : copies_) copies += times;
    words.subtitle.push_back(fmt::format("{} rank{} · {} message{} · {} local cop{}", ranks_,
                                         ranks_ == 1 ? "" : "s", messages, messages == 1 ? "" : "s",
                                         copies, copies == 1 ? "y" : "ies"));
    words.notes.push_back("r→i: chunk i of rank r. Colour: whose data it is.");
    if (!unplaced_.empty())
      words.notes.push_back(
          fmt::format("Not drawn, because there is no such rank: {}", fmt::join(unplaced_, "; ")));
    return captioned(std::move(scene_), words, pen_.ruler());
  }

 private:
  struct Placed {
    DiagramArrow arrow;
    int out = 0,
        in = 0;  ///< Its number among the sender's sends in the slot, and the receiver's receives.
  };
  using Place = std::pair<int, Rank>;

  void place_lanes() {
    std::vector<int> tracks(static_cast<std::size_t>(ranks_), 1);
    for (const auto* places : {&sends_, &receives_})
      for (const auto& [place, many] : *places) {
        int& most = tracks[static_cast<std::size_t>(place.second)];
        most = std::max(most, many);
      }
    double y = kHead;
    for (const int many : tracks) {
      middles_.push_back(y + many * kTrack / 2);
      y += many * kTrack + kLaneGap;
    }
    bottom_ = y - kLaneGap + 6;
  }

  double middle(Rank rank) const { return middles_[static_cast<std::size_t>(rank)]; }
  double left(int slot) const { return kLanes + kCopies + columns_.at(slot) * kSlotWidth; }
  double right() const {
    return kLanes + kCopies + static_cast<double>(columns_.size()) * kSlotWidth;
  }
  double track(Rank rank, int number, int many) const {
    return middle(rank) + (number - (many - 1) / 2.0) * kTrack;
  }
  Point start(const Placed& one) const {
    const Rank from = one.arrow.from;
    return {left(one.arrow.slot) + 8, track(from, one.out, sends_.at({one.arrow.slot, from}))};
  }
  Point end(const Placed& one) const {
    const Rank to = one.arrow.to;
    return {left(one.arrow.slot) + kSlotWidth - 10,
            track(to, one.in, receives_.at({one.arrow.slot, to}))};
  }
  std::string label(const DiagramArrow& arrow) const {
    return arrow.source < 0 ? "?" : fmt::format("{}→{}", arrow.source, arrow.destination);
  }

  static Ink hue(const DiagramArrow& arrow) {
    return arrow.source < 0 ? Ink{Tone::whole} : Ink{Tone::chunk, arrow.source};
  }

  void head(double x, const std::string& text) {
    pen_.level(text, {x, 14}, kCaptionStrong, {Tone::muted});
  }

  void draw_lanes() {
    if (!copies_.empty()) head(kLanes + kCopies / 2, "local");
    for (const auto& [slot, column] : columns_) {
      head(left(slot) + kSlotWidth / 2, fmt::format("slot {}", slot));
      pen_.line({left(slot), kHead - 14}, {left(slot), bottom_}, {Tone::grid}).dotted = true;
    }
    for (Rank rank = 0; rank < ranks_; ++rank) {
      pen_.line({kLanes - 12, middle(rank)}, {right(), middle(rank)}, {Tone::lane});
      pen_.rank_tile(fmt::format("{}", rank), {18, middle(rank)}, kEmphasis);
    }
  }

  void draw_arrow(const Placed& one) {
    const Point a = start(one), b = end(one);
    const Point turn{a.x + kLead, a.y}, back{b.x - kEnd, b.y};
    const double half = (back.x - turn.x) / 2;
    pen_.new_group({fmt::format("arrow-{}", ++number_), to_text(one.arrow)});
    pen_.path(
            {a, a, turn, turn, {turn.x + half, turn.y}, {back.x - half, back.y}, back, back, b, b},
            hue(one.arrow), 2)
        .arrow = true;
    pen_.group(-1);
  }
  void draw_label(const Placed& one) {
    const Point a = start(one);
    pen_.pill(label(one.arrow), {a.x + kLead / 2, a.y}, hue(one.arrow),
              one.arrow.source < 0 ? Ink{Tone::on_whole} : Ink{Tone::on_chunk, one.arrow.source});
  }

  const int ranks_;
  Scene scene_;
  Drawing pen_;
  std::vector<Placed> placed_;
  std::map<int, int> columns_;  // by slot
  std::map<Place, int> sends_, receives_;
  std::map<Rank, int> copies_;
  std::vector<std::string> unplaced_;
  std::vector<double> middles_;
  double bottom_ = 0;
  int number_ = 0;
};

}  // namespace

Scene diagram_picture(std::span<const DiagramArrow> arrows, int ranks, std::string_view title,
                      const Ruler& ruler) {
  if (ranks < 1 || ranks > kMostDiagramRanks)
    throw UserError(fmt::format("a diagram has 1 to {} ranks, not {}", kMostDiagramRanks, ranks));
  return Picture(arrows, ranks, ruler).draw(title);
}

}  // namespace rankscope
