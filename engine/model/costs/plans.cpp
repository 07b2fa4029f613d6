// The messages of algorithms that divide their communicator, which all ranks must do together: they cannot be recorded.
#include "engine/model/costs/plans.h"

#include <ranges>

#include "engine/collectives/fold.h"
#include "engine/collectives/groups.h"
#include "engine/collectives/range_tree.h"
#include "engine/model/costs/cost_table.h"

namespace rankscope::plans {
namespace {

using In = ClosedFormInput;

/// Some ranks of a plan: the first, and how far apart the others are.
struct RankRow {
  Rank first = 0;
  int apart = 1;
  Rank operator[](int i) const noexcept { return first + i * apart; }
};

/// Adds ring steps of n ranks: at step s the r-th one sends chunk r + shift - s to the next one.
void around_ring(VerbSchedule& plan, int n, const ByteParts& chunks, int shift, bool reduces,
                 RankRow ranks = {}) {
  for (int r = 0; r < n; ++r)
    for (int step = 0; step < n - 1; ++step) {
      plan.send(ranks[r], ranks[wrap(r + 1, n)], chunks[wrap(r + shift - step, n)]);
      plan.receive(ranks[r], ranks[wrap(r - 1, n)]);
      if (reduces) plan.reduce(ranks[r], chunks[wrap(r - 1 + shift - step, n)]);
    }
}

/// A tree of ranks, each with its children in the order of a broadcast.
struct PlanTree {
  std::vector<Rank> parent;
  std::vector<std::vector<RangeTree::Child>> children;

  PlanTree(int n, const std::vector<std::pair<Rank, RangeTree::Child>>& edges)
      : parent(static_cast<std::size_t>(n), -1), children(static_cast<std::size_t>(n)) {
    for (const auto& [top, child] : edges) {
      parent[static_cast<std::size_t>(child.rank)] = top;
      children[static_cast<std::size_t>(top)].push_back(child);
    }
  }
  int size() const noexcept { return static_cast<int>(parent.size()); }
  Rank up(Rank rank) const noexcept { return parent[static_cast<std::size_t>(rank)]; }
  const std::vector<RangeTree::Child>& down(Rank rank) const noexcept {
    return children[static_cast<std::size_t>(rank)];
  }
};

// Adds a reduction along the tree, whose rank r is rank first + r of the plan.
void reduce_along(VerbSchedule& plan, const PlanTree& tree, std::int64_t bytes, Rank first = 0) {
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    for (const auto& child : tree.down(rank) | std::views::reverse)
      plan.receive_reduce(first + rank, first + child.rank, bytes);
    if (tree.up(rank) >= 0) plan.send(first + rank, first + tree.up(rank), bytes);
  }
}
void broadcast_along(VerbSchedule& plan, const PlanTree& tree, std::int64_t bytes, Rank first = 0) {
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    if (tree.up(rank) >= 0) plan.receive(first + rank, first + tree.up(rank));
    for (const auto& child : tree.down(rank)) plan.send(first + rank, first + child.rank, bytes);
  }
}

// Adds recursive doubling of whole vectors among `groups` ranks that are `apart`.
void exchange_whole(VerbSchedule& plan, int groups, int apart, std::int64_t bytes) {
  const Fold fold(groups);
  for (int g = 0; g < groups; ++g)
    if (fold.sits_out(g)) {
      plan.send(g * apart, (g - 1) * apart, bytes);
      plan.receive(g * apart, (g - 1) * apart);
    } else {
      if (fold.carries(g)) plan.receive_reduce(g * apart, (g + 1) * apart, bytes);
      for (int distance = 1; distance < fold.participants(); distance *= 2) {
        const Rank partner = fold.rank_of(fold.participant(g) ^ distance) * apart;
        plan.send(g * apart, partner, bytes);
        plan.receive_reduce(g * apart, partner, bytes);
      }
      if (fold.carries(g)) plan.send(g * apart, (g + 1) * apart, bytes);
    }
}

}  // namespace

VerbSchedule allreduce_hierarchical(const In& in) {
  VerbSchedule plan(in.n);
  const std::int64_t bytes = input_bytes(in);
  const int size = group_size(in.n, in.group_size), groups = (in.n + size - 1) / size;
  const auto tree_of = [&](int group) {
    const int ranks = std::min(size, in.n - group * size);
    return PlanTree(ranks, knomial_edges(ranks, 0, 2));
  };
  for (int g = 0; g < groups; ++g) reduce_along(plan, tree_of(g), bytes, g * size);
  exchange_whole(plan, groups, size, bytes);
  for (int g = 0; g < groups; ++g) broadcast_along(plan, tree_of(g), bytes, g * size);
  return plan;
}

VerbSchedule allreduce_two_level_ring(const In& in) {
  VerbSchedule plan(in.n);
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

VerbSchedule alltoall_hierarchical(const In& in) {
  VerbSchedule plan(in.n);
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
