// Parses and prints the arrows of a diagram answer.
#include "lessons/kinds/diagram_answer.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/scene/drawing.h"
#include "lessons/kinds/answer_scanner.h"
#include "lessons/kinds/kind.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::string_view kExampleArrow = "1: 0 -> 1 (0>1), or copy 0";
constexpr int kMostSlot = 1000;
// Ranks that do not exist are mistakes to report, not errors.
constexpr int kMostRank = 999;

// "0>1", "(0→1)", "0,1".
void scan_label(AnswerScanner& in, DiagramArrow& arrow) {
  const bool bracket = in.take("(");
  in.take("chunk");
  arrow.source = in.number("the chunk's source", 0, kMostRank);
  if (!in.take_arrow() && !in.take(",")) in.fail("'>' is missing between source and destination");
  arrow.destination = in.number("the chunk's destination", 0, kMostRank);
  if (bracket && !in.take(")")) in.fail("')' is missing");
}

DiagramArrow local_copy(Rank rank) { return {true, 0, rank, rank, rank, rank}; }

DiagramArrow scan_arrow(std::string_view text) {
  AnswerScanner in(text, kExampleArrow);
  DiagramArrow out;
  if (in.take("copy")) {
    in.take("rank");
    out = local_copy(in.number("the rank", 0, kMostRank));
    // "copy 0 (0>0)" says the same.
    DiagramArrow label;
    if (!in.at_end()) scan_label(in, label);
  } else {
    out.slot = in.number("the time slot", 1, kMostSlot);
    if (!in.take(":")) in.fail("':' is missing after the time slot");
    out.from = in.number("the sending rank", 0, kMostRank);
    if (!in.take_arrow()) in.fail("'->' is missing");
    out.to = in.number("the receiving rank", 0, kMostRank);
    if (!in.at_end()) scan_label(in, out);
  }
  if (!in.at_end()) in.fail("there is something after it");
  return out;
}

DiagramArrow arrow_of(const json& row) {
  if (row.is_string()) return scan_arrow(row.get_ref<const std::string&>());
  if (!row.is_object())
    throw UserError(fmt::format("{} is no arrow; write it like {}", brief(row), kExampleArrow));
  if (const json* copy = filled_in(row, "copy"); copy != nullptr && !copy->is_boolean())
    return local_copy(answer_whole(*copy, "the rank that copies", 0, kMostRank));
  for (const char* key : {"slot", "from"})
    if (filled_in(row, key) == nullptr)
      throw UserError(fmt::format("an arrow lacks its '{}'; write it like {}", key, kExampleArrow));
  const Rank from = answer_whole(row["from"], "the sending rank", 0, kMostRank);
  if (row["slot"] == "copy" || row.value("copy", json()) == true) return local_copy(from);
  if (filled_in(row, "to") == nullptr) throw UserError("an arrow lacks its 'to'");
  DiagramArrow out;
  out.slot = answer_whole(row["slot"], "the time slot", 1, kMostSlot);
  out.from = from;
  out.to = answer_whole(row["to"], "the receiving rank", 0, kMostRank);
  const json* chunk = filled_in(row, "chunk");
  if (chunk == nullptr) return out;
  const std::string label = answer_text(*chunk);
  AnswerScanner in(label, "0>1");
  scan_label(in, out);
  if (!in.at_end()) in.fail("there is something after the chunk");
  return out;
}

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

std::vector<DiagramArrow> parse_arrows(std::string_view text) {
  std::vector<DiagramArrow> out;
  for (const std::string_view part : split_at(text, ";\n")) {
    if (trimmed(part).empty()) continue;
    if (out.size() >= kMostArrows)
      throw UserError(fmt::format("a diagram has at most {} arrows here", kMostArrows));
    out.push_back(scan_arrow(part));
  }
  return out;
}

std::vector<DiagramArrow> arrows_of(const json& answer) {
  if (answer.is_string()) return parse_arrows(answer.get_ref<const std::string&>());
  if (!answer.is_array())
    throw UserError(
        fmt::format("arrows are expected, such as {}, not {}", kExampleArrow, brief(answer)));
  std::vector<DiagramArrow> out;
  for (const json& row : answer) {
    if (blank(row)) continue;  // an empty row of the form
    if (out.size() >= kMostArrows)
      throw UserError(fmt::format("a diagram has at most {} arrows here", kMostArrows));
    out.push_back(arrow_of(row));
  }
  return out;
}

std::string to_text(const DiagramArrow& arrow) {
  if (arrow.copy) return fmt::format("copy {}", arrow.from);
  const std::string where = fmt::format("{}: {} -> {}", arrow.slot, arrow.from, arrow.to);
  return arrow.source < 0 ? where
                          : fmt::format("{} ({}>{})", where, arrow.source, arrow.destination);
}

json row_of(const DiagramArrow& arrow) {
  if (arrow.copy) return {{"copy", arrow.from}};
  json out = {{"slot", arrow.slot}, {"from", arrow.from}, {"to", arrow.to}};
  if (arrow.source >= 0) out["chunk"] = fmt::format("{}>{}", arrow.source, arrow.destination);
  return out;
}

Scene diagram_picture(std::span<const DiagramArrow> arrows, int ranks, std::string_view title,
                      const Ruler& ruler) {
  if (ranks < 1 || ranks > kMostDiagramRanks)
    throw UserError(fmt::format("a diagram has 1 to {} ranks, not {}", kMostDiagramRanks, ranks));
  return Picture(arrows, ranks, ruler).draw(title);
}

}  // namespace rankscope
