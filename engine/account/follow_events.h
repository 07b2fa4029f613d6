// Shares followed from event to event of a trace; values are read only where a program adds up itself.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/account/pieces.h"
#include "engine/account/shares.h"

namespace rankscope::account {

/// The array of a program that holds a rank's result, with the values that the rank noted. Messages may never name it,
/// as "total" in total += received.
struct NotedResult {
  std::string name;
  std::uint32_t buffer = 0;  ///< For Contributions::of().
  /// Each list holds from its cursor on; in order of time.
  std::vector<std::pair<Cursor, std::vector<double>>> values;

  /// Returns its values when the first `cursor` events have happened; none before it was made.
  const std::vector<double>& at(Cursor cursor) const;
};

/// The contents of a trace's buffers. A rank's input is its own contribution, once: the buffer "in", and "data" where
/// that starts as a copy of the input. All other memory starts as nobody's; in a part of a run, all memory starts as
/// unknown. A reduction adds, a copy or a receive replaces. Sums do not say which elements were added. A message
/// carries what its memory held when the send was posted: a program that changes it before the send is complete is
/// wrong. What a program adds up or stores itself is read from its values, if the ranks noted their data at the
/// beginning and the end, and this explains all changes.
class Contributions {
 public:
  /// Ranks beyond this number are too many to be counted one by one.
  static constexpr int kMostRanks = 256;

  /// Follows the whole trace once. Throws UserError for a world of more than kMostRanks.
  Contributions(const Trace& trace, const Pieces& pieces);
  ~Contributions();
  Contributions(Contributions&&) noexcept;
  Contributions& operator=(Contributions&&) noexcept;

  /// Returns the contents of a buffer after the first `cursor` events; empty for one without elements. Only the
  /// events of the buffer's own rank count, so that each rank may be asked about its own moment: what a message brought
  /// is known from the send, wherever the sender's moment lies.
  Contents of(std::uint32_t buffer, Cursor cursor) const;
  /// Returns whether a program made sums itself, and all of them could be read from its values.
  bool explains_sums() const noexcept;
  /// Returns a rank's result as noted; null if none was.
  const NotedResult* result_of(Rank rank) const noexcept;
  /// Returns all buffers, by definition number - 1, each at its rank's moment (see RoundCuts).
  std::vector<Contents> at(std::span<const Cursor> by_rank) const;

 private:
  struct Log;
  std::unique_ptr<const Log> log_;
};

}  // namespace rankscope::account
