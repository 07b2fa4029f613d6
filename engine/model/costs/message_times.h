// The exact recurrence for algorithms whose finish time is no sum: when each message of a plan begins and arrives.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/model/costs/cost.h"

namespace rankscope {

/// The messages and reductions of each rank's strands, in program order. A rank has `strands` strands, which begin together unless
/// begin_after says otherwise; messages are between strands of the same number.
class MessagePlan {
 public:
  explicit MessagePlan(int ranks, int strands = 1);

  /// The strand of all calls below; at first 0.
  void choose_strand(int strand) noexcept { strand_ = strand; }
  void send(Rank from, Rank to, std::int64_t bytes) { add(from, {Step::send, to, bytes}); }
  void receive(Rank at, Rank from) { add(at, {Step::receive, from, 0}); }
  void reduce(Rank at, std::int64_t bytes) { add(at, {Step::reduce, -1, bytes}); }
  void receive_reduce(Rank at, Rank from, std::int64_t bytes) {
    receive(at, from);
    reduce(at, bytes);
  }
  /// The rank's strands 0 .. `last` have ended before the chosen one goes on.
  void begin_after(Rank at, int last) { add(at, {Step::after, last, 0}); }

  /// The path of messages and reductions that ends last:
  ///
  ///   ready(m)   = max(posted(m), the sender's message before it has arrived)
  ///   begins(m)  = max(ready(m), the receiver's port in is free)
  ///   arrives(m) = begins(m) + alpha + bytes beta; both ports are taken until then
  ///
  /// A sender's messages go in the order of posting (then of its strands). All that happens at a moment happens before
  /// ports are given in it. Of those that are ready for one receiver, a free port in takes first one that a strand of
  /// the receiver sleeps for at this moment, then the one that has been ready for longest, then that of the lowest
  /// sender: what a receiver will ask for later is not known, to a network neither. A send is over at once, a receive
  /// when its message has arrived; a reduction takes the rank bytes * gamma, one at a time. transports/sim serves ports
  /// by the same rule.
  /// Throws UserError for a plan that cannot end.
  CostTerm critical_path(const LinkCosts& link) const;

 private:
  friend class MessageClock;
  struct Step {
    enum Kind : std::uint8_t { send, receive, reduce, after };
    Kind kind;
    std::int32_t peer;
    std::int64_t bytes;
  };

  std::size_t line(Rank rank) const noexcept {
    return static_cast<std::size_t>(rank) * static_cast<std::size_t>(strands_) +
           static_cast<std::size_t>(strand_);
  }
  void add(Rank rank, const Step& step) { lines_[line(rank)].push_back(step); }

  int ranks_, strands_, strand_ = 0;
  std::vector<std::vector<Step>> lines_;  ///< By rank, then strand.
};

}  // namespace rankscope
