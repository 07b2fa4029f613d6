// The table, with the sums and maxima behind its rows; times by the recurrence come from plans.cpp.
#include "engine/model/costs/cost_table.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/groups.h"
#include "engine/collectives/range_tree.h"
#include "engine/core/base/error.h"
#include "engine/model/costs/parts.h"
#include "engine/model/costs/plans.h"

namespace rankscope {
namespace {

using In = ClosedFormInput;
using Form = std::optional<Cost>;

// What is sent and then reduced, `times` times; what is only sent.
CostTerm combined(std::int64_t times, std::int64_t bytes) {
  return {times, times * bytes, times * bytes};
}
CostTerm sent(std::int64_t times, std::int64_t bytes) { return {times, times * bytes, 0}; }

Form ping(const In& in) { return in.n > 1 ? sent(2, input_bytes(in)) : CostTerm{}; }
Form shift(const In& in) { return in.n > 1 ? sent(1, input_bytes(in)) : CostTerm{}; }
Form dissemination(const In& in) { return sent(ceil_log2(in.n), 0); }

// The root's port out, or in, carries one message after the other.
Form to_each(const In& in) { return sent(in.n - 1, input_bytes(in)); }
int chain_segments(const In& in) {
  return cost_segments(in, in.shape.count(), kChainSegmentBytes).parts();
}
// A chain of N - 1 links carries segments of lengths s_1 .. s_K as a flow shop of equal machines:
// sum of all + (N - 2) times the longest.
Form chain_form(const In& in) {
  if (in.n == 1) return CostTerm{};
  const ByteParts parts(cost_segments(in, in.shape.count(), kChainSegmentBytes), element_bytes(in));
  return CostTerm{chain_segments(in), parts.all(), 0} + (in.n - 2) * message_cost(parts.longest());
}
// Every cut of a range takes one message, and both parts go on at once: as deep as ceil(log2 N).
CostTerm tree_down_term(int n, std::int64_t bytes) { return sent(ceil_log2(n), bytes); }
Form tree_down_form(const In& in) { return tree_down_term(in.n, input_bytes(in)); }

// Chunks down the tree: a path ends at each rank.
Form scatter_tree_form(const In& in) {
  std::vector<CostTerm> port(static_cast<std::size_t>(in.n));  // free from then on
  const ByteParts chunks = chunk_bytes(in);
  Cost last;
  for (const auto& [top, child] : binomial_edges(in.n, in.root)) {
    CostTerm& out = port[static_cast<std::size_t>(top)];
    out += message_cost(chunks.span(child.first, child.last));
    port[static_cast<std::size_t>(child.rank)] = out;
    last = Cost::later(last, out);
  }
  return last;
}
Form scatter_flat_form(const In& in) {
  const ByteParts chunks = chunk_bytes(in);
  return CostTerm{in.n - 1, chunks.all() - chunks[in.root], 0};
}

// The messages of all are on the way at once; the root's port takes one after the other, and the root reduces one
// while the next arrives: either its port or its reductions are busy all the time.
Cost reduce_flat_cost(int n, std::int64_t bytes) {
  if (n == 1) return {};
  return Cost::later(sent(n - 1, bytes) + reduction_cost(bytes),
                     message_cost(bytes) + (n - 1) * reduction_cost(bytes));
}
Form reduce_flat_form(const In& in) { return reduce_flat_cost(in.n, input_bytes(in)); }
Form allreduce_flat_form(const In& in) {
  return reduce_flat_cost(in.n, input_bytes(in)) + Cost(sent(in.n - 1, input_bytes(in)));
}
// Subtrees of 1, 2, 4, .. ranks are ready one after the other, when their parent is.
Form reduce_tree_form(const In& in) {
  if (!is_power_of_two(in.n)) return std::nullopt;
  return combined(floor_log2(in.n), input_bytes(in));
}

// The root's port is never idle before its last message ends, as long as the root is in the lower part of the
// first cut, of p ranks; from the upper part it waits for all of the lower one.
CostTerm gather_tree_term(int n, Rank root, std::int64_t block) {
  if (n == 1) return {};
  const int p = 1 << (ceil_log2(n) - 1);
  return {ceil_log2(n), (root < p ? n - 1 : 2 * p - 1) * block, 0};
}
Form gather_tree_form(const In& in) { return gather_tree_term(in.n, in.root, input_bytes(in)); }

Form gather_and_broadcast(const In& in) {
  return sent(in.n - 1, input_bytes(in)) + sent(in.n - 1, in.n * input_bytes(in));
}
Form doubling_form(const In& in) {
  if (!is_power_of_two(in.n)) return std::nullopt;
  return CostTerm{floor_log2(in.n), (in.n - 1) * input_bytes(in), 0};
}
Form bruck_form(const In& in) { return CostTerm{ceil_log2(in.n), (in.n - 1) * input_bytes(in), 0}; }

// Around a ring the path that stays with a longest chunk is the longest one: no step of another one is longer.
Form ring_reduce_form(const In& in) { return combined(in.n - 1, chunk_bytes(in).longest()); }
Form ring_twice_form(const In& in) {
  const std::int64_t longest = chunk_bytes(in).longest();
  return combined(in.n - 1, longest) + sent(in.n - 1, longest);
}
Form direct_form(const In& in) {
  return chunk_bytes(in).equal() ? ring_reduce_form(in) : std::nullopt;
}
CostTerm halved(const In& in) {
  const std::int64_t bytes = input_bytes(in) / in.n * (in.n - 1);
  return {floor_log2(in.n), bytes, bytes};
}
bool equal_on_power(const In& in) { return is_power_of_two(in.n) && chunk_bytes(in).equal(); }
Form halving_form(const In& in) {
  if (!equal_on_power(in)) return std::nullopt;
  return halved(in);
}
Form rabenseifner_form(const In& in) {
  if (!equal_on_power(in)) return std::nullopt;
  return halved(in) + CostTerm{floor_log2(in.n), input_bytes(in) / in.n * (in.n - 1), 0};
}
// All ranks leave a ring of equal chunks at once.
Form ring_and_gather_form(const In& in) {
  if (!chunk_bytes(in).equal()) return std::nullopt;
  const std::int64_t chunk = input_bytes(in) / in.n;
  return combined(in.n - 1, chunk) + gather_tree_term(in.n, in.root, chunk);
}
Form scatter_and_ring_form(const In& in) {
  if (!equal_on_power(in)) return std::nullopt;
  const std::int64_t chunk = input_bytes(in) / in.n;
  return CostTerm{floor_log2(in.n), (in.n - 1) * chunk, 0} + sent(in.n - 1, chunk);
}

// A broadcast down the tree begins when the root of the reduction has everything.
Form tree_twice_form(const In& in) {
  if (!is_power_of_two(in.n)) return std::nullopt;
  return combined(floor_log2(in.n), input_bytes(in)) + tree_down_term(in.n, input_bytes(in));
}
// Surplus ranks hand over first and get the result in the end. Where more than half of the participants carry for
// one, a pair of them delays every round; where fewer do, ranks that do not wait for each other.
Form exchange_cost(int n, std::int64_t bytes) {
  const int participants = 1 << floor_log2(n), surplus = n - participants;
  if (surplus > 0 && 2 * surplus <= participants) return std::nullopt;
  const int fold = surplus > 0 ? 1 : 0;
  return combined(floor_log2(n) + fold, bytes) + sent(fold, bytes);
}
Form exchange_form(const In& in) { return exchange_cost(in.n, input_bytes(in)); }
Form hierarchy_form(const In& in) {
  const int g = group_size(in.n, in.group_size);
  if (!is_power_of_two(g) || in.n % g != 0) return std::nullopt;
  const std::int64_t bytes = input_bytes(in);
  const Form leaders = exchange_cost(in.n / g, bytes);
  if (!leaders) return std::nullopt;
  return *leaders + Cost(combined(floor_log2(g), bytes) + tree_down_term(g, bytes));
}
int ring_segments(const In& in) {
  return cost_segments(in, Partition(in.shape.count(), in.n).longest(), kRingSegmentBytes).parts();
}
// K equal segments a chunk: the link is always busy, or the reductions are.
Form pipelined_form(const In& in) {
  const Partition chunks(in.shape.count(), in.n);
  const int parts = ring_segments(in);
  if (parts == 1) return ring_twice_form(in);
  if (in.shape.count() % in.n != 0 || chunks.longest() % parts != 0) return std::nullopt;
  const std::int64_t segment = chunks.longest() / parts * element_bytes(in), n = in.n;
  if (n == 1) return CostTerm{};
  return Cost::later(
      sent(2 * (n - 1) * parts, segment),
      sent((n - 2) * parts + 2, segment) + (n - 1) * parts * reduction_cost(segment));
}
int bucket_count(const In& in) {
  return bucket_partition(in.shape.count(), in.dtype, in.segment_bytes).parts();
}
Form bucketed_form(const In& in) {
  if (in.n == 1) return CostTerm{};
  return bucket_count(in) == 1 ? ring_twice_form(in) : std::nullopt;
}

// Row i of the table of messages comes after row i - 1, column j after column j - 1. A longest path goes down the
// first column, whose blocks are longest, and then along the last row.
Form linear_form(const In& in) {
  if (in.n == 1) return CostTerm{};
  const ByteParts blocks = block_bytes(in);
  return CostTerm{2 * in.n - 3, (in.n - 1) * blocks[0] + blocks.span(1, in.n - 1), 0};
}
Form pairwise_form(const In& in) {
  if (!block_bytes(in).equal()) return std::nullopt;
  return sent(in.n - 1, block_bytes(in).longest());
}
Form bruck_blocks_form(const In& in) {
  if (!block_bytes(in).equal()) return std::nullopt;
  std::int64_t blocks = 0;  // the ones among the bits of 0 .. N - 1
  for (unsigned j = 0; j < static_cast<unsigned>(in.n); ++j) blocks += std::popcount(j);
  return CostTerm{ceil_log2(in.n), blocks * block_bytes(in).longest(), 0};
}

constexpr FormulaHolds kAlways{}, kEqual{.equal_parts = true}, kPower{.power_of_two = true},
    kEqualPower{.equal_parts = true, .power_of_two = true},
    kSegmentsOfRing{.equal_parts = true, .segmented = true},
    kBuckets{.equal_parts = true, .segmented = true, .fast_reductions = true};

constexpr std::string_view kFlatReduce = "max((N−1)(α + nβ) + nγ, α + nβ + (N−1)nγ)",
                           kRing = "2(N−1)α + 2·(N−1)/N·nβ + (N−1)/N·nγ",
                           kBothTrees = "2·log2(N)·(α + nβ) + log2(N)·nγ",
                           kHalf = "(N−1)α + (N−1)/N·n(β + γ)", kToAll = "(N−1)(α + nβ)",
                           kAllBlocks = "log2(N)·α + (N−1)nβ";

const CostRow kRows[] = {
    {"p2p.ping", "2(α + nβ)", kAlways, ping},
    {"p2p.sendrecv", "α + nβ", kAlways, shift},
    {"barrier.dissemination", "⌈log2(N)⌉α", kAlways, dissemination},
    {"broadcast.flat", kToAll, kAlways, to_each},
    {"broadcast.binomial", "⌈log2(N)⌉(α + nβ)", kAlways, tree_down_form},
    {"broadcast.scatter_allgather", "(log2(N) + N − 1)α + 2·(N−1)/N·nβ", kEqualPower,
     scatter_and_ring_form, plans::broadcast_scatter_allgather},
    {"broadcast.chain", "(K + N − 2)(α + n/K·β)", kEqual, chain_form, nullptr, chain_segments},
    {"reduce.flat", kFlatReduce, kAlways, reduce_flat_form},
    {"reduce.binomial", "log2(N)·(α + nβ + nγ)", kPower, reduce_tree_form, plans::reduce_binomial},
    {"reduce.scatter_gather", "(log2(N) + N − 1)α + 2·(N−1)/N·nβ + (N−1)/N·nγ", kEqualPower,
     ring_and_gather_form, plans::reduce_scatter_gather},
    {"gather.flat", kToAll, kAlways, to_each},
    {"gather.binomial", kAllBlocks, kPower, gather_tree_form},
    {"scatter.flat", "(N−1)(α + n/N·β)", kEqual, scatter_flat_form},
    {"scatter.binomial", "log2(N)·α + (N−1)/N·nβ", kEqualPower, scatter_tree_form},
    {"allgather.flat", "2(N−1)α + (N−1)(N+1)nβ", kAlways, gather_and_broadcast},
    {"allgather.ring", kToAll, kAlways, to_each},
    {"allgather.doubling", kAllBlocks, kPower, doubling_form, plans::allgather_doubling},
    {"allgather.bruck", "⌈log2(N)⌉α + (N−1)nβ", kAlways, bruck_form},
    {"reduce_scatter.direct", kHalf, kEqual, direct_form, plans::reduce_scatter_direct},
    {"reduce_scatter.ring", kHalf, kEqual, ring_reduce_form},
    {"reduce_scatter.halving", "log2(N)·α + (N−1)/N·n(β + γ)", kEqualPower, halving_form,
     plans::reduce_scatter_halving},
    {"allreduce.flat", "(N−1)(α + nβ) + max((N−1)(α + nβ) + nγ, α + nβ + (N−1)nγ)", kAlways,
     allreduce_flat_form},
    {"allreduce.mst", kBothTrees, kPower, tree_twice_form, plans::allreduce_mst},
    {"allreduce.tree", kBothTrees, kPower, tree_twice_form, plans::allreduce_tree},
    {"allreduce.bde", "log2(N)·(α + nβ + nγ)", kPower, exchange_form, plans::allreduce_bde},
    {"allreduce.ring", kRing, kEqual, ring_twice_form},
    {"allreduce.rabenseifner", "2·log2(N)·α + 2·(N−1)/N·nβ + (N−1)/N·nγ", kEqualPower,
     rabenseifner_form, plans::allreduce_rabenseifner},
    {"allreduce.reduce_broadcast", kBothTrees, kPower, tree_twice_form, plans::allreduce_tree},
    {"allreduce.reduce_scatter_allgather", kRing, kEqual, ring_twice_form},
    {"allreduce.hierarchical", "(log2(N) + log2(g))(α + nβ) + log2(N)·nγ", kPower, hierarchy_form,
     plans::allreduce_hierarchical},
    {"allreduce.ring_pipelined",
     "max(2(N−1)(Kα + n/N·β), ((N−2)K + 2)(α + n/(N·K)·β) + (N−1)/N·nγ)", kSegmentsOfRing,
     pipelined_form, plans::allreduce_ring_pipelined, ring_segments},
    {"allreduce.bucketed", "2(N−1)K·α + 2·(N−1)/N·nβ", kBuckets, bucketed_form,
     plans::allreduce_bucketed, bucket_count},
    {"alltoall.linear", "(2N−3)(α + n/N·β)", kEqual, linear_form},
    {"alltoall.pairwise", "(N−1)(α + n/N·β)", kEqual, pairwise_form, plans::alltoall_pairwise},
    {"alltoall.bruck", "log2(N)·(α + n/2·β)", kEqualPower, bruck_blocks_form,
     plans::alltoall_bruck},
};

}  // namespace

std::string to_text(const FormulaHolds& holds) {
  std::vector<std::string> all;
  if (holds.equal_parts) all.push_back("equal parts");
  if (holds.power_of_two) all.push_back("powers of two");
  if (holds.segmented) all.push_back("K ≥ 2");
  if (holds.fast_reductions) all.push_back("reducing a part takes no longer than sending it");
  return fmt::format("{}", fmt::join(all, ", "));
}

const CostRow* find_cost_row(const Algorithm& algorithm) noexcept {
  const auto* row = std::ranges::find(kRows, algorithm.name, &CostRow::algorithm);
  return row == std::end(kRows) ? nullptr : row;
}

Cost cost_of(const Algorithm& algorithm, const ClosedFormInput& in, const LinkCosts& link) {
  const CostRow* row = find_cost_row(algorithm);
  if (row == nullptr)
    throw UserError(
        fmt::format("there is no closed form of {}: run it, or choose one of `rankscope list`",
                    algorithm.name));
  if (auto cost = row->closed(in)) return *std::move(cost);
  const std::int64_t most = std::int64_t{in.n} * algorithm.rounds(in);
  if (most > kMostPlanned)
    throw UserError(fmt::format(
        "{} on {} ranks in unequal parts has up to {} messages, more than are followed one by one "
        "({}): choose a size whose elements {} divides, or fewer ranks",
        algorithm.name, in.n, most, kMostPlanned, in.n));
  return row->plan(in).critical_path(link);
}

int group_in_formula(const Algorithm& algorithm, const ClosedFormInput& in) {
  return algorithm.features.takes_group_size ? group_size(in.n, in.group_size) : in.n;
}

}  // namespace rankscope
