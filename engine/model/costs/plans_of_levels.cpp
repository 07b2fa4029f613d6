// The messages of algorithms on two trees, on many trees at once, and on groups with exchanges of their own.
#include <ranges>

#include "engine/collectives/double_tree.h"
#include "engine/collectives/groups.h"
#include "engine/collectives/pat.h"
#include "engine/model/costs/plan_parts.h"
#include "engine/model/costs/plans.h"

namespace rankscope::plans {
namespace {

using Input = ClosedFormInput;

void along_double_tree(MessagePlan& plan, const Input& in, Rank root, TreeDirection direction) {
  const DoubleTree trees(in.n, root);
  const ByteParts segments(double_tree_segments(in.shape.count(), in.dtype, in.segment_bytes),
                           element_bytes(in));
  for (Rank rank = 0; rank < in.n; ++rank)
    for (const TreeMove& move : double_tree_moves(trees, rank, segments.parts(), direction)) {
      const std::int64_t bytes = segments[move.segment];
      if (move.sends) plan.send(rank, move.peer, bytes);
      else if (direction == TreeDirection::up) plan.receive_reduce(rank, move.peer, bytes);
      else plan.receive(rank, move.peer);
    }
}

}  // namespace

MessagePlan broadcast_double_tree(const Input& in) {
  MessagePlan plan(in.n);
  along_double_tree(plan, in, in.root, TreeDirection::down);
  return plan;
}

MessagePlan allreduce_double_tree(const Input& in) {
  MessagePlan plan(in.n);
  along_double_tree(plan, in, 0, TreeDirection::up);
  along_double_tree(plan, in, 0, TreeDirection::down);
  return plan;
}

MessagePlan reduce_scatter_pat(const Input& in) {
  MessagePlan plan(in.n);
  const ByteParts chunks = chunk_bytes(in);
  const auto steps =
      pat_steps(in.n, pat_aggregation(in.n, static_cast<std::uint64_t>(chunks.longest()),
                                      or_default(in.segment_bytes, kPatMessageBytes)));
  for (Rank rank = 0; rank < in.n; ++rank)
    for (const PatStep& step : steps | std::views::reverse) {
      std::int64_t sent = 0, kept = 0;
      for (const int offset : step.offsets) {
        sent += chunks[wrap(rank - offset - step.distance, in.n)];
        kept += chunks[wrap(rank - offset, in.n)];
      }
      plan.send(rank, wrap(rank - step.distance, in.n), sent);
      plan.receive_reduce(rank, wrap(rank + step.distance, in.n), kept);
    }
  return plan;
}

}  // namespace rankscope::plans
