// The results that a collective owes each rank: which ranks' elements are in each element.
#pragma once

#include <span>
#include <vector>

#include "engine/account/shares.h"
#include "engine/core/base/buffer.h"
#include "engine/core/base/collective.h"

namespace rankscope::account {

/// One collective call of `ranks` ranks.
struct Call {
  Collective collective = Collective::allreduce;
  int ranks = 1;
  Shape shape = {};  ///< Each rank's input; in a scatter, the root's.
  Rank root = 0;
  int scatter_dim = 0, gather_dim = 0;  ///< For an all-to-all. Negative ones count from the end.
  /// By rank, the elements of inputs of different lengths, which have one dimension. Only moved data allows them.
  std::vector<Count> counts = {};
};

/// Returns whether a collective gives ranks the data of a group; single messages and barriers do not.
inline bool shares_data(const CollectiveTraits& row) noexcept {
  return row.reduces || row.rooted || row.counts_all_ranks() || row.out == Extent::regrouped;
}
Shape promised_shape(const Call& call, Rank rank);
/// Returns the right contents of a rank's result; empty where it has none, or none is defined (in a reduce, away from its root).
Contents promised(const Call& call, Rank rank);
/// Returns the parts that a rank should join in an all-gather or an all-to-all, joined along another dimension.
Contents joined_along(const Call& call, Rank rank, int dim);
/// Returns the result as numbers, computed from the ranks' inputs.
std::vector<double> promised_values(const Contents& promised,
                                    std::span<const std::vector<double>> inputs, ReduceOp op);

}  // namespace rankscope::account
