// One function an algorithm; the sources beside engine/collectives/registry.cpp's rows are those of the algorithms.
#include "engine/model/costs/plans.h"

#include <ranges>

#include "engine/collectives/double_tree.h"
#include "engine/collectives/fold.h"
#include "engine/collectives/groups.h"
#include "engine/collectives/pat.h"
#include "engine/collectives/radix.h"
#include "engine/collectives/range_tree.h"
#include "engine/collectives/swing.h"
#include "engine/core/base/ranges.h"
#include "engine/model/costs/message_times.h"
#include "engine/model/costs/parts.h"

namespace rankscope::plans {

/// Some ranks of a plan: the first, and how far apart the others are.
struct RankRow {
  Rank first = 0;
  int apart = 1;
  Rank operator[](int i) const noexcept { return first + i * apart; }
};

/// Ring steps of n ranks: at step s the r-th one sends chunk r + shift - s to the next one.
inline void around_ring(MessagePlan& plan, int n, const ByteParts& chunks, int shift, bool reduces,
                        RankRow ranks = {}) {
  for (int r = 0; r < n; ++r)
    for (int step = 0; step < n - 1; ++step) {
      plan.send(ranks[r], ranks[wrap(r + 1, n)], chunks[wrap(r + shift - step, n)]);
      plan.receive(ranks[r], ranks[wrap(r - 1, n)]);
      if (reduces) plan.reduce(ranks[r], chunks[wrap(r - 1 + shift - step, n)]);
    }
}

namespace {

using In = ClosedFormInput;

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

// The tree's rank r is rank first + r of the plan.
void reduce_along(MessagePlan& plan, const PlanTree& tree, std::int64_t bytes, Rank first = 0) {
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    for (const auto& child : tree.down(rank) | std::views::reverse)
      plan.receive_reduce(first + rank, first + child.rank, bytes);
    if (tree.up(rank) >= 0) plan.send(first + rank, first + tree.up(rank), bytes);
  }
}
void broadcast_along(MessagePlan& plan, const PlanTree& tree, std::int64_t bytes, Rank first = 0) {
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    if (tree.up(rank) >= 0) plan.receive(first + rank, first + tree.up(rank));
    for (const auto& child : tree.down(rank)) plan.send(first + rank, first + child.rank, bytes);
  }
}

// The elements that surplus ranks hand over first and get back in the end.
void fold_in(MessagePlan& plan, const Fold& fold, Rank rank, std::int64_t bytes, bool reduces) {
  if (fold.sits_out(rank)) plan.send(rank, rank - 1, bytes);
  if (!fold.carries(rank)) return;
  plan.receive(rank, rank + 1);
  if (reduces) plan.reduce(rank, bytes);
}
void fold_out(MessagePlan& plan, const Fold& fold, Rank rank, std::int64_t bytes) {
  if (fold.sits_out(rank)) plan.receive(rank, rank - 1);
  if (fold.carries(rank)) plan.send(rank, rank + 1, bytes);
}

// Recursive doubling of whole vectors among `groups` ranks that are `apart`.
void exchange_whole(MessagePlan& plan, int groups, int apart, std::int64_t bytes) {
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

// Halves chunks until each participant has one, and doubles them again with the same partners: where a participant's own
// chunk stands, and with whom it exchanges in a round.
template <class Position, class Partner>
MessagePlan halve_and_double(const In& in, Position position, Partner partner) {
  MessagePlan plan(in.n);
  const Fold fold(in.n);
  const int p = fold.participants(), rounds = floor_log2(p);
  const ByteParts chunks = chunk_bytes(in, p);
  for (Rank rank = 0; rank < in.n; ++rank) {
    fold_in(plan, fold, rank, chunks.all(), true);
    const int self = fold.participant(rank), own = position(self, p);
    const auto exchange = [&](int round, bool reduces) {
      const int length = p >> (round + 1), mine = own & ~(length - 1), other = mine ^ length;
      const Rank with = fold.rank_of(partner(self, round, p));
      const std::int64_t kept = chunks.span(mine, mine + length);
      plan.send(rank, with, reduces ? chunks.span(other, other + length) : kept);
      plan.receive(rank, with);
      if (reduces) plan.reduce(rank, kept);
    };
    for (int round = 0; round < rounds && !fold.sits_out(rank); ++round) exchange(round, true);
    for (int round = rounds - 1; round >= 0 && !fold.sits_out(rank); --round)
      exchange(round, false);
    fold_out(plan, fold, rank, chunks.all());
  }
  return plan;
}

}  // namespace

MessagePlan reduce_binomial(const In& in) {
  MessagePlan plan(in.n);
  reduce_along(plan, PlanTree(in.n, binomial_edges(in.n, in.root)), input_bytes(in));
  return plan;
}

MessagePlan reduce_knomial(const In& in) {
  MessagePlan plan(in.n);
  reduce_along(plan, PlanTree(in.n, knomial_edges(in.n, in.root, in.radix)), input_bytes(in));
  return plan;
}

MessagePlan broadcast_scatter_allgather(const In& in) {
  MessagePlan plan(in.n);
  const PlanTree tree(in.n, binomial_edges(in.n, in.root));
  const ByteParts chunks = chunk_bytes(in);
  for (Rank rank = 0; rank < in.n; ++rank) {
    if (tree.up(rank) >= 0) plan.receive(rank, tree.up(rank));
    for (const auto& child : tree.down(rank))
      plan.send(rank, child.rank, chunks.span(child.first, child.last));
  }
  around_ring(plan, in.n, chunks, 0, false);
  return plan;
}

MessagePlan reduce_scatter_gather(const In& in) {
  MessagePlan plan(in.n);
  const PlanTree tree(in.n, binomial_edges(in.n, in.root));
  const ByteParts chunks = chunk_bytes(in);
  around_ring(plan, in.n, chunks, -1, true);
  const auto subtree = [&](const RangeTree::Child& child) {
    return chunks.span(child.first, child.last);
  };
  for (Rank rank = 0; rank < in.n; ++rank) {
    for (const auto& child : tree.down(rank) | std::views::reverse) plan.receive(rank, child.rank);
    if (const Rank top = tree.up(rank); top >= 0)
      plan.send(rank, top, subtree(*ranges::find(tree.down(top), rank, &RangeTree::Child::rank)));
  }
  return plan;
}

MessagePlan allgather_doubling(const In& in) {
  MessagePlan plan(in.n);
  const Fold fold(in.n);
  const std::int64_t block = input_bytes(in);
  for (Rank rank = 0; rank < in.n; ++rank) {
    fold_in(plan, fold, rank, block, false);
    const int self = fold.participant(rank);
    for (int length = 1; length < fold.participants() && !fold.sits_out(rank); length *= 2) {
      const int mine = self & ~(length - 1);
      const Rank partner = fold.rank_of(self ^ length);
      plan.send(rank, partner, (fold.rank_of(mine + length) - fold.rank_of(mine)) * block);
      plan.receive(rank, partner);
    }
    fold_out(plan, fold, rank, in.n * block);
  }
  return plan;
}

MessagePlan reduce_scatter_direct(const In& in) {
  MessagePlan plan(in.n);
  const ByteParts chunks = chunk_bytes(in);
  for (Rank rank = 0; rank < in.n; ++rank)
    for (int step = 1; step < in.n; ++step) {
      const Rank to = wrap(rank + step, in.n);
      plan.send(rank, to, chunks[to]);
      plan.receive_reduce(rank, wrap(rank - step, in.n), chunks[rank]);
    }
  return plan;
}

MessagePlan reduce_scatter_halving(const In& in) {
  MessagePlan plan(in.n);
  const Fold fold(in.n);
  const ByteParts chunks = chunk_bytes(in);
  const auto behind = [&](int first, int length) {
    return chunks.span(fold.rank_of(first), fold.rank_of(first + length));
  };
  for (Rank rank = 0; rank < in.n; ++rank) {
    fold_in(plan, fold, rank, chunks.all(), true);
    const int self = fold.participant(rank);
    for (int length = fold.participants() / 2; length > 0 && !fold.sits_out(rank); length /= 2) {
      const int keep = self & ~(length - 1), give = keep ^ length;
      const Rank partner = fold.rank_of(self ^ length);
      plan.send(rank, partner, behind(give, length));
      plan.receive_reduce(rank, partner, behind(keep, length));
    }
    if (fold.sits_out(rank)) plan.receive(rank, rank - 1);
    if (fold.carries(rank)) plan.send(rank, rank + 1, chunks[rank + 1]);
  }
  return plan;
}

MessagePlan allreduce_two_shot(const In& in) {
  MessagePlan plan(in.n);
  const ByteParts chunks = chunk_bytes(in);
  for (Rank rank = 0; rank < in.n; ++rank) {
    for (int step = 1; step < in.n; ++step)
      plan.send(rank, wrap(rank + step, in.n), chunks[wrap(rank + step, in.n)]);
    for (int step = 1; step < in.n; ++step)
      plan.receive_reduce(rank, wrap(rank - step, in.n), chunks[rank]);
    for (int step = 1; step < in.n; ++step) plan.send(rank, wrap(rank + step, in.n), chunks[rank]);
    for (int step = 1; step < in.n; ++step) plan.receive(rank, wrap(rank - step, in.n));
  }
  return plan;
}

MessagePlan allreduce_tree(const In& in) {
  MessagePlan plan(in.n);
  const PlanTree tree(in.n, binomial_edges(in.n, 0));
  reduce_along(plan, tree, input_bytes(in));
  broadcast_along(plan, tree, input_bytes(in));
  return plan;
}

MessagePlan allreduce_mst(const In& in) {
  MessagePlan plan(in.n);
  const PlanTree tree(in.n, halving_edges(in.n, 0));
  reduce_along(plan, tree, input_bytes(in));
  broadcast_along(plan, tree, input_bytes(in));
  return plan;
}

MessagePlan allreduce_bde(const In& in) {
  MessagePlan plan(in.n);
  exchange_whole(plan, in.n, 1, input_bytes(in));
  return plan;
}

MessagePlan allreduce_recursive_multiplying(const In& in) {
  MessagePlan plan(in.n);
  const auto factors = exchange_factors(in.n, radix_or_default(in.radix));
  const Fold fold(in.n, product_of(factors));
  const std::int64_t bytes = input_bytes(in);
  for (Rank rank = 0; rank < in.n; ++rank) {
    fold_in(plan, fold, rank, bytes, true);
    const int self = fold.participant(rank);
    int distance = 1;
    for (const int factor : factors) {
      const int own = self / distance % factor;
      const auto peer = [&](int step) {
        return fold.rank_of(self + (wrap(own + step, factor) - own) * distance);
      };
      for (int step = 1; step < factor && !fold.sits_out(rank); ++step)
        plan.send(rank, peer(step), bytes);
      for (int step = 1; step < factor && !fold.sits_out(rank); ++step)
        plan.receive(rank, peer(-step));
      if (!fold.sits_out(rank)) plan.reduce(rank, (factor - 1) * bytes);
      distance *= factor;
    }
    fold_out(plan, fold, rank, bytes);
  }
  return plan;
}

MessagePlan allreduce_rabenseifner(const In& in) {
  return halve_and_double(
      in, [](int self, int) { return self; },
      [](int self, int round, int p) { return self ^ (p >> (round + 1)); });
}

MessagePlan allreduce_swing(const In& in) {
  return halve_and_double(in, swing_position, swing_partner);
}

MessagePlan allreduce_hierarchical(const In& in) {
  MessagePlan plan(in.n);
  const std::int64_t bytes = input_bytes(in);
  const int size = group_size(in.n, in.group_size), groups = (in.n + size - 1) / size;
  const auto tree_of = [&](int group) {
    const int ranks = std::min(size, in.n - group * size);
    return PlanTree(ranks, binomial_edges(ranks, 0));
  };
  for (int g = 0; g < groups; ++g) reduce_along(plan, tree_of(g), bytes, g * size);
  exchange_whole(plan, groups, size, bytes);
  for (int g = 0; g < groups; ++g) broadcast_along(plan, tree_of(g), bytes, g * size);
  return plan;
}

MessagePlan allreduce_ring_pipelined(const In& in) {
  const Partition chunks(in.shape.count(), in.n);
  const int parts = cost_segments(in, chunks.longest(), kRingSegmentBytes).parts();
  const int steps = in.n - 1, ranks = in.shape.count() % in.n == 0 ? 1 : in.n;
  MessagePlan plan(ranks);
  const auto segment = [&](int chunk, int k) {
    return ByteParts(Partition(chunks[chunk].count, parts), element_bytes(in))[k];
  };
  for (Rank rank = 0; rank < ranks && steps > 0; ++rank) {
    const auto send = [&](int step, int k) {
      plan.send(rank, wrap(rank + 1, ranks), segment(wrap(rank - step, in.n), k));
    };
    for (int k = 0; k < parts; ++k) send(0, k);
    for (int step = 0; step < 2 * steps; ++step)
      for (int k = 0; k < parts; ++k) {
        plan.receive(rank, wrap(rank - 1, ranks));
        if (step < steps) plan.reduce(rank, segment(wrap(rank - step - 1, in.n), k));
        if (step + 1 < 2 * steps) send(step + 1, k);
      }
  }
  return plan;
}

MessagePlan allreduce_bucketed(const In& in) {
  constexpr int kInFlight = 8;  // as the algorithm has it
  const Partition buckets = bucket_partition(in.shape.count(), in.dtype, in.segment_bytes);
  const std::int64_t element = element_bytes(in);
  bool alike = true;  // one rank stands for all
  for (const int b : {0, buckets.parts() - 1}) alike &= buckets[b].count % in.n == 0;
  const int ranks = alike ? 1 : in.n;
  MessagePlan plan(ranks, buckets.parts());
  for (int b = 0; b < buckets.parts(); ++b) {
    plan.choose_strand(b);
    const ByteParts chunks(Partition(buckets[b].count, in.n), element);
    for (Rank rank = 0; rank < ranks; ++rank) {
      if (b >= kInFlight) plan.begin_after(rank, b - kInFlight);
      for (int step = 0; step < 2 * (in.n - 1); ++step) {
        const bool reduces = step < in.n - 1;
        const int chunk = rank - step - (reduces ? 1 : 0) + (reduces ? 0 : in.n - 1);
        plan.send(rank, wrap(rank + 1, ranks), chunks[wrap(chunk, in.n)]);
        plan.receive(rank, wrap(rank - 1, ranks));
        if (reduces) plan.reduce(rank, chunks[wrap(chunk - 1, in.n)]);
      }
    }
  }
  return plan;
}

MessagePlan alltoall_pairwise(const In& in) {
  MessagePlan plan(in.n);
  const ByteParts blocks = block_bytes(in);
  for (Rank rank = 0; rank < in.n; ++rank)
    for (int round = 1; round < in.n; ++round) {
      const bool pairs = is_power_of_two(in.n);
      const Rank to = pairs ? rank ^ round : wrap(rank + round, in.n);
      plan.send(rank, to, blocks[to]);
      plan.receive(rank, pairs ? to : wrap(rank - round, in.n));
    }
  return plan;
}

MessagePlan alltoall_bruck(const In& in) {
  MessagePlan plan(in.n);
  const ByteParts blocks = block_bytes(in);
  for (Rank rank = 0; rank < in.n; ++rank)
    for (int distance = 1; distance < in.n; distance *= 2) {
      // Slot j's block still has to go as far as j's bits from this one on say.
      std::int64_t bytes = 0;
      for (int j = 0; j < in.n; ++j)
        if ((j & distance) != 0) bytes += blocks[wrap(rank + (j & ~(distance - 1)), in.n)];
      plan.send(rank, wrap(rank + distance, in.n), bytes);
      plan.receive(rank, wrap(rank - distance, in.n));
    }
  return plan;
}

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
