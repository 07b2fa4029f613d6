// Chooses the moves of all ranks but one first.
#include "engine/explore/late_rank_order.h"

#include <cstdint>
#include <tuple>

namespace rankscope::explore {

// Polls without news come last, as in InterleavingOrder.
std::size_t LateRankOrder::next(std::span<const NextMove> moves) {
  using Order = std::tuple<int, int, std::uint64_t, Rank, std::uint16_t>;
  std::size_t best = 0;
  Order first;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const NextMove& move = moves[i];
    const bool message = move.kind == NextMove::Kind::message;
    const bool idle = move.kind == NextMove::Kind::look && !move.news;
    const bool late = (message ? move.from : move.rank) == late_;
    const std::uint64_t turn = message ? move.since : idle ? move.number : 0;
    const Order order{idle ? 2 : late ? 1 : 0, message ? 0 : 1, turn, move.rank, move.strand};
    if (i > 0 && order >= first) continue;
    best = i;
    first = order;
  }
  return best;
}

}  // namespace rankscope::explore
