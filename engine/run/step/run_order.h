// The choice of what happens next in a run that is made one move at a time (RunnerOptions::order).
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "engine/core/message/gate.h"

namespace rankscope {

/// Something that may happen next while all ranks stand still.
struct NextMove {
  enum class Kind : std::uint8_t {
    message,  ///< The oldest message on its way from `from` arrives at `rank`.
    verb,     ///< A strand of `rank` carries out the verb before which it is held.
    look,     ///< The rank looks once more for something that was not there (test, probe).
  };
  Kind kind = Kind::verb;
  Rank rank = -1;
  Rank from = -1;            ///< A message's sender.
  std::uint16_t strand = 0;  ///< A verb's or a look's.
  /// How many messages from `from` to `rank`, or verbs or looks of this strand, came before it.
  std::uint32_t number = 0;
  OpId op = 0;              ///< A message's send; 0 for a look.
  bool news = false;        ///< Something has arrived since the last look.
  std::uint64_t since = 0;  ///< Messages: in the order in which they were sent.
};

class RunOrder {
 public:
  virtual ~RunOrder() = default;
  /// The index of what is to happen. Never called with nothing.
  virtual std::size_t next(std::span<const NextMove> moves) = 0;
  /// Send `number` of those from a rank to another that need not wait for their receive: does it wait all
  /// the same? Called by the sending rank's thread; calls come one at a time.
  virtual bool waits(Rank from, Rank to, std::uint32_t number) {
    return (void)from, (void)to, (void)number, false;
  }
  /// The others went on without this rank, which computes for longer than compute_limit() in the middle of its
  /// part: what happens from now on depends on time.
  virtual void continue_without(Rank rank) { (void)rank; }
  virtual std::chrono::milliseconds compute_limit() const {
    return std::chrono::milliseconds(5'000);
  }
};

}  // namespace rankscope
