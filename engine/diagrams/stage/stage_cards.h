// How the stage's cards are drawn at a moment.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/run/live_marks.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/stage/stage.h"
#include "engine/diagrams/stage/stage_layout.h"
#include "engine/diagrams/stage/stage_model.h"
#include "engine/diagrams/stage/stage_trouble.h"

namespace rankscope {

/// The change of a row at a moment.
struct StageRowNow {
  bool target = false;  ///< A message is on its way to it, or has just arrived.
  bool adds = false;
  double pulse = 0;       ///< The plus sign's strength, 0 to 1.
  std::string came = {};  ///< The values that are just being added.
  Ink hue;                ///< Colour of the arriving data.
  bool operator==(const StageRowNow&) const = default;
};

/// A row's marks, with everything that they depend on.
struct StageKept {
  StageCells cells;  ///< Kept alive, so that their addresses identify them.
  std::vector<StageRowNow> rows;
  Box card;
  bool pale = false, wrong = false;
  Group group;
  std::vector<Mark> marks;

  bool is_of(std::span<const std::shared_ptr<const DataCell>> now_cells,
             std::span<const StageRowNow> now_rows, const Box& now_card, bool now_pale,
             bool now_wrong) const noexcept {
    return !cells.empty() && pale == now_pale && wrong == now_wrong && card == now_card &&
           ranges::equal(cells, now_cells) && ranges::equal(rows, now_rows);
  }
};

struct StageKeptCard {
  StageCells cells;  ///< The cells that `group` describes.
  Group group;
  std::vector<StageKept> rows;
};

/// One stage's cards, by rank.
using StageKeptCards = std::vector<StageKeptCard>;

/// Returns the ink of a filled slot; `origin` is the rank of data that is only moved.
Ink stage_slot_ink(const StageModel& model, int chunk, Rank origin);
Ink stage_cargo_ink(const StageCargo& cargo);

/// Returns how much of the time between two shares of a round is over: 0 to 1.
inline double share_between(double share, double from, double to) {
  return std::clamp((share - from) / (to - from), 0.0, 1.0);
}

struct StageCardNow {
  std::vector<StageRowNow> rows;
  std::string activity;              ///< "adds c2 from rank 3"
  bool ended = false;                ///< The run is over, so its trouble is shown.
  const LiveBadge* badge = nullptr;  ///< The badge in a run that is held; null without one.
};

/// The moment and the messages that decide how the cards change.
struct StageCardsOf {
  int round = -1;  ///< The current round, or the one that has just ended; 0 for none.
  bool goes_on = false, ended = false;
  bool docked = false;  ///< Messages have arrived but are not yet in their rows.
  double pulse = 0;
  bool operator==(const StageCardsOf&) const = default;
};
/// Returns each rank's card, without badges; with `words`, its activity.
std::vector<StageCardNow> stage_cards_at(const StageCardsOf& of, StageModel& model, bool words);

class StageCards {
 public:
  StageCards(Drawing& pen, const StageModel& model, const StageLayout& layout,
             const StageTrouble& trouble, bool values, const SceneChoice& focus,
             StageKeptCards& kept)
      : pen_(pen),
        model_(model),
        layout_(layout),
        style_(layout.style),
        trouble_(trouble),
        values_(values),
        focus_(focus),
        kept_(kept) {}

  void card(Rank rank, const StageCells& cells, const StageCardNow& now);
  /// Draws the name of a row of slots, ending at `at`, if there is room: four filled slots look like four numbers, but are one
  /// in a reduction.
  void hint(Point at, double room);
  /// Sets whether the slots drawn next are pale.
  void pale(bool pale) noexcept { pale_ = pale; }
  /// Draws one slot of a card or of a travelling message.
  void slot(const Box& box, Ink fill, const CellPart& part, const std::string& digits);

 private:
  void frame(Rank rank, const Box& card, const StageCardNow& now);
  void head(Rank rank, const Box& card, const StageCardNow& now);
  void far_number(Rank rank, const Box& card);
  void stands(Rank rank, const Box& card, const LiveBadge& badge);
  void tile(Rank rank, const Box& card, const StageCardNow& now);
  void foot(const Box& card, const StageTrouble::Wait& wait);
  /// Adds the marks from `kept` if it holds them for these arguments; else draws and keeps them.
  template <class Draw>
  void draw_kept(StageKept& kept, Rank rank, std::span<const std::shared_ptr<const DataCell>> cells,
                 std::span<const StageRowNow> rows, bool is_wrong, std::int32_t group,
                 const Draw& draw);
  void rows(Rank rank, const StageCells& cells, const StageCardNow& now, std::int32_t group);
  void row(Rank rank, int chunk, const DataCell& cell, const StageRowNow& now);
  void slots(Rank rank, int chunk, const DataCell& cell);
  void level(Rank rank, int chunk, const DataCell& cell);
  void thin_slots(Rank rank, int chunk, const DataCell& cell);
  void shown_values(Rank rank, int chunk, const DataCell& cell, const StageRowNow& now);
  void words(Rank rank, int chunk, const DataCell& cell);
  void plus(Point at, double pulse, double room);
  std::string count_text(Rank rank, const DataCell& cell) const;
  void target(const Box& line, const StageRowNow& now);
  bool joins_targets() const { return !style_.labels && style_.per_line == 0; }
  void joined_targets(Rank rank, std::span<const StageRowNow> rows);
  void wrong(Rank rank, int chunk, const DataCell& cell, const meant::WrongResult& bad);
  std::string story(Rank rank, const StageCells& cells) const;
  std::string story(Rank rank, int chunk, const DataCell& cell) const;
  bool pale(Rank rank, int chunk) const;
  Ink toned(Ink ink) const;
  Font letters(const Font& font) const { return style_.letters(font); }

  Drawing& pen_;
  const StageModel& model_;
  const StageLayout& layout_;
  const StageStyle& style_;
  const StageTrouble& trouble_;
  const bool values_;
  const SceneChoice& focus_;
  StageKeptCards& kept_;
  bool pale_ = false;
};

}  // namespace rankscope
