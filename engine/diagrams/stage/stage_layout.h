// The sizes, contents and places of the ranks' cards, chosen once for a run and a pane, so that nothing jumps from one
// moment to the next.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/stage/stage_model.h"
#include "engine/diagrams/stage/stage_topology.h"

namespace rankscope {

/// The contents of a card. A smaller card first loses words, then names of chunks, then single slots.
struct StageStyle {
  bool words = false;   ///< "1 of 4", and the rank's activity.
  bool counts = false;  ///< "1/4".
  bool labels = false;  ///< Chunks have their names.
  bool digits = false;  ///< Slots carry their ranks.
  bool named = true;    ///< "rank 3", not "3".
  bool numbered = true;
  bool dot = false;    ///< Only the rank's number, or not even that.
  int columns = 0;     ///< Chunks side by side in a line, as cells; 0 for a row per chunk.
  bool level = false;  ///< Cells are filled by the share of ranks whose parts are in them.
  /// Slots per line if the only row has several lines of them beside the rank's tile; 0 for one line.
  int per_line = 0;
  double slot_width = 20, slot_height = 20, gap = 4, pitch = 30;
  double pad = 12, head = 32;
  double foot = 0;   ///< For the line of a blocked rank.
  double scale = 1;  ///< Scale of everything on the card, letters too.
  // ---- Computed, scaled ----
  double least_slot = 0;  ///< The least width of a short chunk's slot.
  double label_width = 0, slots_width = 0, plus_width = 0, count_width = 0;
  double width = 0, height = 0;

  Font letters(const Font& of) const noexcept { return {of.size * scale, of.weight, of.mono}; }
};

/// How a message's chip is drawn, by the room in its round.
enum class StageChip : std::uint8_t { slots, small, label, narrow, tile };

struct StageGroupBox {
  Box box;
  std::string name;
  bool named_left = false;  ///< Its name is in the left corner instead of the right one.
};

struct StageLayout {
  StageStyle style;
  Box area;                ///< The room for cards.
  std::vector<Box> cards;  ///< By rank.
  std::vector<StageGroupBox> groups;
  bool around = false;     ///< Cards leave the middle open.
  bool may_cross = false;  ///< Messages may have paths that cross.
  bool straight = false;   ///< No message ends where another begins, but cards may touch.
  Box note;                ///< Room for the phase's name; empty if there is none.
  /// By round, from 0: the cards, with ranks that exchange messages side by side; empty if cards do not move.
  std::vector<std::vector<Box>> steps;

  const std::vector<Box>& cards_in(int round) const;

  std::vector<double> lengths;  ///< By chunk: its share of the longest one's elements.
  /// Returns the width of a chunk's slot if the longest chunk's is `longest`.
  double slot_width(int chunk, double longest) const;

  Box row(Rank rank, int chunk) const {
    return row_on(cards[static_cast<std::size_t>(rank)], chunk);
  }
  Box row_on(const Box& card, int chunk) const;
  Box slot(Rank rank, int chunk, int slot) const {
    return slot_on(cards[static_cast<std::size_t>(rank)], chunk, slot);
  }
  Box slot_on(const Box& card, int chunk, int slot) const;
  Point plus(Rank rank, int chunk) const;  ///< The place of the plus sign.
  int rows = 0, slots = 1;
};

struct StageWishes {
  bool values = false;   ///< Elements instead of slots.
  bool trouble = false;  ///< Room for the line of a blocked rank.
};
/// `holds` returns whether a layout has room for messages with their contents, or (true) at least as tiles. It decides between
/// forms and, for up to StageForms::contents ranks, between styles.
StageLayout stage_layout(const StageModel& model, const StageTopology& topology, const Box& area,
                         const StageWishes& wishes, const Ruler& ruler,
                         const std::function<bool(StageLayout&, bool)>& holds);

/// The path of a message: a cubic segment between places beside the sender's and the receiver's cards, and the points on the
/// cards' edges where it begins and ends.
struct StagePath {
  Point leaves, arrives;
  std::vector<Point> curve;  ///< Four points.
  double cost = 0;           ///< By the things that it crosses; below 1 if it crosses nothing.
  std::vector<Point> line() const;
};
/// Returns the possible paths, best first. `both_ways`: another message goes the other way in the same round, so each keeps
/// to the right.
std::vector<StagePath> stage_paths(const StageLayout& layout, Rank from, Rank to, double chip_width,
                                   double chip_height, bool both_ways);

}  // namespace rankscope
