// How algorithms that pair ranks by powers of two take any number of ranks.
#pragma once

#include <functional>

#include "engine/collectives/algorithm.h"
#include "engine/core/message/communicator.h"

namespace rankscope {

/// p = 2^floor(log2 n) of n ranks take part; the n - p surplus ranks hand their data to a
/// neighbour first and get the result from it in the end. Among the first 2(n - p) ranks the odd
/// ones sit out and the even ones carry for them, so that the ranks behind consecutive participants
/// are consecutive too (Thakur, Rabenseifner, Gropp 2005, "Reduce and Allreduce").
///
///   n = 6, p = 4:   ranks          0 1   2 3   4   5
///                   participants    0     1    2   3      (ranks 1 and 3 sit out)
class Fold {
 public:
  explicit Fold(int n) noexcept : Fold(n, 1 << floor_log2(n)) {}
  /// With another number of participants: at least half of n.
  Fold(int n, int participants) noexcept
      : participants_(participants), surplus_(n - participants_) {}

  int participants() const noexcept { return participants_; }
  bool sits_out(Rank rank) const noexcept { return rank < 2 * surplus_ && rank % 2 == 1; }
  /// Rank + 1 sits out and this rank carries for it.
  bool carries(Rank rank) const noexcept { return rank < 2 * surplus_ && rank % 2 == 0; }
  /// A rank's number among the participants.
  int participant(Rank rank) const noexcept {
    return rank < 2 * surplus_ ? rank / 2 : rank - surplus_;
  }
  /// A participant's rank: the first of the ranks that it stands for. The ranks behind participants
  /// a .. b-1 are rank_of(a) .. rank_of(b)-1, with rank_of(participants()) = n.
  Rank rank_of(int participant) const noexcept {
    return participant < surplus_ ? 2 * participant : participant + surplus_;
  }

 private:
  int participants_;
  int surplus_;
};

/// An allreduce whose participants do `exchange` on args.out: surplus ranks hand their data over before, and get the
/// result afterwards.
void fold_around(Communicator& comm, const Args& args, const Fold& fold,
                 const std::function<void()>& exchange);

}  // namespace rankscope
