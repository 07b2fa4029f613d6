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

MessagePlan allreduce_two_level_ring(const Input& in) {
  MessagePlan plan(in.n);
  const WholeGroups groups(in.n, in.group_size);
  const int g = groups.size(), all = groups.groups();
  const Partition chunks(in.shape.count(), g);
  const ByteParts bytes(chunks, element_bytes(in));
  for (Rank rank = 0; rank < in.n; ++rank) {
    if (groups.sits_out(rank)) {
      plan.send(rank, rank - g, bytes.all());
      plan.receive(rank, rank - g);
    }
    if (groups.carries(rank)) plan.receive_reduce(rank, rank + g, bytes.all());
  }
  for (int group = 0; group < all; ++group) around_ring(plan, g, bytes, -1, true, {group * g, 1});
  for (int place = 0; place < g; ++place) {
    const ByteParts pieces(Partition(chunks[place].count, all), element_bytes(in));
    around_ring(plan, all, pieces, -1, true, {place, g});
    around_ring(plan, all, pieces, 0, false, {place, g});
  }
  for (int group = 0; group < all; ++group) around_ring(plan, g, bytes, 0, false, {group * g, 1});
  for (Rank rank = 0; rank < in.n; ++rank)
    if (groups.carries(rank)) plan.send(rank, rank + g, bytes.all());
  return plan;
}

MessagePlan alltoall_hierarchical(const Input& in) {
  MessagePlan plan(in.n);
  const ByteParts blocks = block_bytes(in);
  const int g = equal_group_size(in.n, in.group_size), groups = in.n / g;
  for (Rank rank = 0; rank < in.n; ++rank) {
    const int group = rank / g, place = rank % g;
    for (int step = 1; step < g; ++step) {
      const int to = wrap(place + step, g);
      std::int64_t bytes = 0;
      for (Rank other = to; other < in.n; other += g) bytes += blocks[other];
      plan.send(rank, group * g + to, bytes);
      plan.receive(rank, group * g + wrap(place - step, g));
    }
    for (int step = 1; step < groups; ++step) {
      const Rank to = wrap(group + step, groups) * g + place;
      plan.send(rank, to, g * blocks[to]);
      plan.receive(rank, wrap(group - step, groups) * g + place);
    }
  }
  return plan;
}

}  // namespace rankscope::plans
