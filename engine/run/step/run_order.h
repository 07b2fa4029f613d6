// The choice of the next move in a run that is made one move at a time (RunnerOptions::order).
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "engine/core/message/gate.h"

namespace rankscope {

/// A possible next move while all ranks stand still.
struct NextMove {
  enum class Kind : std::uint8_t {
    message,  ///< The oldest message under way from `from` arrives at `rank`.
    verb,     ///< A strand of `rank` carries out the verb before which it is held.
    look,     ///< The rank polls once more for something that was not there (test, probe).
  };
  Kind kind = Kind::verb;
  Rank rank = -1;
  Rank from = -1;            ///< A message's sender.
  std::uint16_t strand = 0;  ///< For a verb or a look.
  /// The number of earlier messages from `from` to `rank`, or of earlier verbs or looks of this strand.
  std::uint32_t number = 0;
  OpId op = 0;              ///< A message's send; 0 for a look.
  bool news = false;        ///< Something has arrived since the last look.
  std::uint64_t since = 0;  ///< For messages: their order of sending.
};

class RunOrder {
 public:
  virtual ~RunOrder() = default;
  /// Returns the index of the next move. Never called without moves.
  virtual std::size_t next(std::span<const NextMove> moves) = 0;
  /// Returns whether a send that need not wait for its receive, number `number` of those from one rank to another,
  /// waits all the same. Called by the sending rank's thread; one call at a time.
  virtual bool waits(Rank from, Rank to, std::uint32_t number) {
    return (void)from, (void)to, (void)number, false;
  }
  /// Called when the others go on without this rank, because it computes for longer than compute_limit(): from now on
  /// the run depends on time.
  virtual void continue_without(Rank rank) { (void)rank; }
  virtual std::chrono::milliseconds compute_limit() const {
    return std::chrono::milliseconds(5'000);
  }
};

}  // namespace rankscope
