// How the messages of a round are drawn: which way each takes, how large its chip is, where it is at a moment.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "engine/diagrams/stage/stage_cards.h"

namespace rankscope {

/// One round's messages on their ways; the same at each of its moments.
struct StageFlights {
  StageChip chip = StageChip::slots;
  std::vector<StagePath> paths;  ///< By cargo.
  std::vector<Box> sizes;        ///< Boxes of the chips, at the origin.
  bool crosses_note = false;     ///< One passes where the phase's name would stand.
};

class StageFlightPainter {
 public:
  StageFlightPainter(const StageModel& model, const StageLayout& layout, const Ruler& ruler)
      : model_(model), layout_(layout), ruler_(ruler) {}

  /// Chips as rich as there is room for, so that none ever lies on a card or, with words on it, on another one.
  StageFlights flights(const std::vector<StageCargo>& cargo);
  /// Returns whether two ways cross, or, `also_at_ends`, one ends where the other begins.
  static bool ways_cross(const StageFlights& flights, bool also_at_ends);
  /// The cards of the layout stand elsewhere now.
  void moved() { known_.clear(); }
  /// The way of each, as strong as `strength`.
  void ways(Drawing& pen, const std::vector<StageCargo>& cargo, const StageFlights& flights,
            double strength, const SceneChoice& focus) const;
  /// Draws the messages that travel at this share of the round; one that finds no way between the cards passes `beneath` them.
  void cargo(Drawing& pen, StageCards& cards, const std::vector<StageCargo>& cargo,
             const StageFlights& flights, double share, const SceneChoice& focus,
             bool beneath) const;

 private:
  Box size_of(const StageCargo& cargo, StageChip chip) const;
  void pill(Drawing& pen, const StageCargo& cargo, StageChip kind, const Box& box, bool pale,
            bool emptied) const;
  const std::string& text_of(const StageCargo& cargo, StageChip chip) const;
  const std::vector<StagePath>& paths(const StageCargo& cargo, const Box& size, bool both_ways);
  bool choose(const std::vector<StageCargo>& cargo, StageFlights& flights);
  void chip(Drawing& pen, StageCards& cards, const StageCargo& cargo, StageChip kind,
            const Box& box, bool pale, bool empty) const;
  /// Its slots between the chip and a card's row: on their way out of the sender's, or into the receiver's.
  void sliding(Drawing& pen, StageCards& cards, const StageCargo& cargo, StageChip kind,
               const Box& chip, bool out, double part) const;
  Box chip_slot(const StageCargo& cargo, StageChip kind, const Box& chip, int slot) const;
  Box slot_size(const StageCargo& cargo, StageChip kind) const;
  /// A chip's slots, and what is before them.
  struct ChipGrid {
    Box slot;
    double gap = 0, pad = 0, text = 0, width = 0, height = 0;
    int across = 1;
  };
  ChipGrid grid_of(const StageCargo& cargo, StageChip kind) const;
  bool shows_slots(StageChip kind) const;
  /// Several chunks as cells, as they stand on a card.
  bool shows_cells(const StageCargo& cargo, StageChip kind) const;

  const StageModel& model_;
  const StageLayout& layout_;
  const Ruler& ruler_;
  /// From, to, size of the chip, and whether another one comes the other way.
  std::map<std::tuple<Rank, Rank, int, int, bool>, std::vector<StagePath>> known_;
};

}  // namespace rankscope
