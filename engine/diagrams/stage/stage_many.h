// The stage of many ranks: a circle of all, and beside it the neighbourhood of one rank in detail.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/diagrams/stage/stage_cards.h"

namespace rankscope {

class StageMany {
 public:
  /// Null unless there is room for both halves.
  static std::unique_ptr<StageMany> made(StageModel& model, const Box& area, const Ruler& ruler);

  struct Now {
    int shown = 0;  ///< The round that is under way, or has just ended; 0 before the first.
    double share = 0;
    bool finished = false;
  };
  void draw(Drawing& pen, const Now& now, const StageState& state,
            const std::vector<StageCardNow>& cards, const StageTrouble& trouble,
            const SceneChoice& focus);
  /// Where a rank stands: in the neighbourhood that is shown at first, else on the circle.
  Box card(Rank rank) const;
  Box row(Rank rank, int chunk) const;

 private:
  StageMany(StageModel& model, const Box& area, const Ruler& ruler);
  bool find_cards();
  /// Chooses the window: around what is in focus.
  void place(const SceneChoice& focus);
  Rank middle() const { return window_[static_cast<std::size_t>(reach_)]; }
  bool in_window(Rank rank) const {
    return layout_.cards[static_cast<std::size_t>(rank)].width > 0;
  }
  /// A rank's place on the circle.
  Box mark(Rank rank) const;
  Point on_circle(double rank, double radius) const;
  std::vector<Point> sector(double first, double last, double inner, double outer) const;

  void circle(Drawing& pen, const Now& now, const StageState& state) const;
  void center(Drawing& pen, const StageState& state) const;
  void dots(Drawing& pen, const Now& now) const;
  void panel(Drawing& pen) const;
  void beside(Drawing& pen, const Now& now) const;
  void lanes(Drawing& pen, const Now& now) const;
  void track(Drawing& pen, const Now& now, const StageCargo& cargo, Point from, Point to,
             std::size_t alike, bool one_line) const;
  /// Two lines that say what travels.
  std::pair<std::string, std::string> words_of(const StageCargo& cargo, std::size_t alike) const;
  void far_rank(Drawing& pen, const std::string& name, Point at) const;

  StageModel& model_;
  const Ruler& ruler_;
  Box circle_, panel_;
  int reach_ = 1;            ///< Ranks on each side of the middle one.
  bool neighbours_ = false;  ///< No message goes further than to the next rank.
  bool near_ = false;        ///< No message crosses the middle of the circle.
  std::vector<Rank> window_;
  StageLayout layout_;      ///< Cards of the window; all others are empty.
  std::vector<Box> first_;  ///< Those of the window that is shown at first.
  StageKeptCards kept_;
};

}  // namespace rankscope
