// The cards of a round on their way to where they stand in the next one: small, and past each other.
#pragma once

#include <array>
#include <vector>

#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// Cards in two rows leave them, pass each other in two lanes between the rows, and turn into their new places; others go
/// straight. Each takes the lane and the time in which it touches as few others as possible.
class StageWalk {
 public:
  StageWalk(const std::vector<Box>& from, const std::vector<Box>& to);

  /// Returns where a card is at a share of the time, in its full size.
  Box at(std::size_t card, double share) const;
  /// Returns how large it is drawn then, around its centre.
  double scale(std::size_t card, double share) const;
  /// Returns whether two of them touch.
  bool touches() const;

 private:
  struct Way {
    bool upper = true;          ///< The lane.
    double begin = 0, end = 1;  ///< When it moves.
  };
  static constexpr int kSamples = 25;  ///< Odd: half-way is one of them.
  using Drawn = std::array<Box, kSamples>;

  bool turns(std::size_t card) const;
  bool goes_by(std::size_t card) const;
  Drawn drawn(std::size_t card) const;
  std::vector<Way> ways(std::size_t card) const;
  void choose();
  int touches(std::size_t card) const;
  void take(std::size_t card, const Way& way);
  bool improve(std::size_t card, std::size_t other);

  std::vector<Box> from_, to_;
  bool between_rows_ = false;
  double middle_ = 0;  ///< The height between two rows of cards.
  double small_ = 0.55;
  std::vector<Way> ways_;
  std::vector<Drawn> drawn_;  ///< By card, while ways are chosen.
};

}  // namespace rankscope
