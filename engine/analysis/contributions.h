// Whose data the buffers hold, and how often: followed from event to event, without any values.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/analysis/pieces.h"

namespace rankscope {

/// What some consecutive elements of a buffer hold.
struct Contribution {
  Range elements;
  /// By rank: how often that rank's data is in it (stops at 255). Empty: nobody's (memory that was
  /// never written to). A reduction adds, a copy or a receive replaces.
  std::vector<std::uint8_t> count;
  /// Written by code, or from memory, that the trace does not show.
  bool unknown = false;
  /// Where the data comes from, as long as nothing was added to it: the rank, and the element of the
  /// data as a whole (see Pieces) that the first of these elements was there. -1: a sum, or nothing.
  Rank origin = -1;
  Count origin_element = 0;

  /// How many ranks' data is in it.
  int ranks() const noexcept;
  /// Every rank's data is in it, and each once.
  bool complete() const noexcept;
  /// The most that one rank is in it; 2 or more is a mistake in a reduction.
  int most() const noexcept;
  bool operator==(const Contribution&) const = default;
};
/// Of one buffer: in order, without gaps. Empty for a buffer without elements.
using ContributionMap = std::vector<Contribution>;

/// A rank's input is its own contribution, once: the buffer "in", and "data" where that starts as a
/// copy of the input. All other memory starts as nobody's. Of a
/// part of a run, what all memory holds at first is unknown. A message carries what its memory held
/// when the send was posted: a program that changes it before the send is complete is wrong.
class Contributions {
 public:
  /// Ranks beyond this number are too many to be counted one by one.
  static constexpr int kMostRanks = 256;

  /// Follows the whole trace once. Throws UserError for a world of more than kMostRanks.
  Contributions(const Trace& trace, const Pieces& pieces);
  ~Contributions();
  Contributions(Contributions&&) noexcept;
  Contributions& operator=(Contributions&&) noexcept;

  /// What a buffer holds when the first `cursor` events have happened. Only the events of the
  /// buffer's own rank count, so that each rank may be asked about its own moment: what a message
  /// brought is known from the send, wherever the sender's moment lies.
  ContributionMap of(std::uint32_t buffer, Cursor cursor) const;
  /// All buffers, by definition number - 1, each at its rank's moment (see RoundCuts).
  std::vector<ContributionMap> at(std::span<const Cursor> by_rank) const;

 private:
  struct Log;
  std::unique_ptr<const Log> log_;
};

}  // namespace rankscope
