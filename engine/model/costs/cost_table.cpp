// The closed forms, the table of them, and the look-ups in it.
#include "engine/model/costs/cost_table.h"

#include <bit>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/double_tree.h"
#include "engine/collectives/groups.h"
#include "engine/collectives/pat.h"
#include "engine/collectives/radix.h"
#include "engine/collectives/range_tree.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"
#include "engine/model/costs/plans.h"

namespace rankscope::cost_forms {

using In = ClosedFormInput;
using Form = std::optional<Cost>;

// `times` messages that are sent and then reduced; below, messages that are only sent.
inline CostTerm combined(std::int64_t times, std::int64_t bytes) {
  return {times, times * bytes, times * bytes};
}
inline CostTerm sent(std::int64_t times, std::int64_t bytes) { return {times, times * bytes, 0}; }

inline Form ping(const In& in) { return in.n > 1 ? sent(2, input_bytes(in)) : CostTerm{}; }
inline Form shift(const In& in) { return in.n > 1 ? sent(1, input_bytes(in)) : CostTerm{}; }
inline Form dissemination(const In& in) { return sent(ceil_log2(in.n), 0); }
inline Form flat_barrier(const In& in) { return sent(2 * (in.n - 1), 0); }

// The root's port out, or in, carries one message after the other.
inline Form to_each(const In& in) { return sent(in.n - 1, input_bytes(in)); }
inline int chain_segments(const In& in) {
  return cost_segments(in, in.shape.count(), kChainSegmentBytes).parts();
}
// A chain of N - 1 links carries segments of lengths s_1 .. s_K as a flow shop of equal machines:
// sum of all + (N - 2) times the longest.
inline Form chain_form(const In& in) {
  if (in.n == 1) return CostTerm{};
  const ByteParts parts(cost_segments(in, in.shape.count(), kChainSegmentBytes), element_bytes(in));
  return CostTerm{chain_segments(in), parts.all(), 0} + (in.n - 2) * message_cost(parts.longest());
}
// Every cut of a range takes one message, and both halves go on at once: ceil(log2 N) cuts in a row.
inline CostTerm tree_down_term(int n, std::int64_t bytes) { return sent(ceil_log2(n), bytes); }
inline Form tree_down_form(const In& in) { return tree_down_term(in.n, input_bytes(in)); }

// Chunks down the tree: a path ends at each rank.
inline Form scatter_tree_form(const In& in) {
  std::vector<CostTerm> port(static_cast<std::size_t>(in.n));  // the cost after which it is free
  const ByteParts chunks = chunk_bytes(in);
  Cost last;
  for (const auto& [top, child] : knomial_edges(in.n, in.root, 2)) {
    CostTerm& out = port[static_cast<std::size_t>(top)];
    out += message_cost(chunks.span(child.first, child.last));
    port[static_cast<std::size_t>(child.rank)] = out;
    last = Cost::later(last, out);
  }
  return last;
}
inline Form scatter_flat_form(const In& in) {
  const ByteParts chunks = chunk_bytes(in);
  return CostTerm{in.n - 1, chunks.all() - chunks[in.root], 0};
}

// The messages of all are on the way at once; the root's port takes one after the other, and the root reduces one
// while the next arrives: either its port or its reductions are busy all the time.
inline Cost reduce_flat_cost(int n, std::int64_t bytes) {
  if (n == 1) return {};
  return Cost::later(sent(n - 1, bytes) + reduction_cost(bytes),
                     message_cost(bytes) + (n - 1) * reduction_cost(bytes));
}
inline int switch_segments(const In& in) {
  return cost_segments(in, in.shape.count(), kSwitchSegmentBytes).parts();
}
inline Form reduce_flat_form(const In& in) { return reduce_flat_cost(in.n, input_bytes(in)); }
// Also of allreduce.in_network without switches that add: rank 0 takes their place, without segments.
inline Form allreduce_flat_form(const In& in) {
  return reduce_flat_cost(in.n, input_bytes(in)) + Cost(sent(in.n - 1, input_bytes(in)));
}
// Each level of a k-nomial tree is a flat reduce of what k ranks have by then.
inline Form reduce_knomial_form(const In& in) {
  const int radix = radix_or_default(in.radix);
  if (!is_power_of(in.n, radix)) return std::nullopt;
  const std::int64_t levels = knomial_rounds(in.n, radix) / (radix - 1), bytes = input_bytes(in);
  return Cost::later(levels * (sent(radix - 1, bytes) + reduction_cost(bytes)),
                     levels * (message_cost(bytes) + (radix - 1) * reduction_cost(bytes)));
}
inline Form knomial_down_form(const In& in) {
  return sent(knomial_rounds(in.n, radix_or_default(in.radix)), input_bytes(in));
}
// Subtrees of 1, 2, 4, .. ranks are ready one after the other, when their parent is.
inline Form reduce_tree_form(const In& in) {
  if (!is_power_of_two(in.n)) return std::nullopt;
  return combined(floor_log2(in.n), input_bytes(in));
}

// The root's port is never idle before its last message ends, as long as the root is in the lower part of the
// first cut, of p ranks; from the upper part it waits for all of the lower one.
inline CostTerm gather_tree_term(int n, Rank root, std::int64_t block) {
  if (n == 1) return {};
  const int p = 1 << (ceil_log2(n) - 1);
  return {ceil_log2(n), (root < p ? n - 1 : 2 * p - 1) * block, 0};
}
inline Form gather_tree_form(const In& in) {
  return gather_tree_term(in.n, in.root, input_bytes(in));
}

inline Form gather_and_broadcast(const In& in) {
  return sent(in.n - 1, input_bytes(in)) + sent(in.n - 1, in.n * input_bytes(in));
}
inline Form doubling_form(const In& in) {
  if (!is_power_of_two(in.n)) return std::nullopt;
  return CostTerm{floor_log2(in.n), (in.n - 1) * input_bytes(in), 0};
}
inline Form bruck_form(const In& in) {
  return CostTerm{ceil_log2(in.n), (in.n - 1) * input_bytes(in), 0};
}

// Around a ring the path that stays with a longest chunk is the longest one: no step of another one is longer.
inline Form ring_reduce_form(const In& in) { return combined(in.n - 1, chunk_bytes(in).longest()); }
inline Form ring_twice_form(const In& in) {
  const std::int64_t longest = chunk_bytes(in).longest();
  return combined(in.n - 1, longest) + sent(in.n - 1, longest);
}
inline Form direct_form(const In& in) {
  return chunk_bytes(in).equal() ? ring_reduce_form(in) : std::nullopt;
}
inline CostTerm halved(const In& in) {
  const std::int64_t bytes = input_bytes(in) / in.n * (in.n - 1);
  return {floor_log2(in.n), bytes, bytes};
}
inline bool equal_on_power(const In& in) {
  return is_power_of_two(in.n) && chunk_bytes(in).equal();
}
inline Form halving_form(const In& in) {
  if (!equal_on_power(in)) return std::nullopt;
  return halved(in);
}
inline Form rabenseifner_form(const In& in) {
  if (!equal_on_power(in)) return std::nullopt;
  return halved(in) + CostTerm{floor_log2(in.n), input_bytes(in) / in.n * (in.n - 1), 0};
}
// All ranks leave a ring of equal chunks at once.
inline Form ring_and_gather_form(const In& in) {
  if (!chunk_bytes(in).equal()) return std::nullopt;
  const std::int64_t chunk = input_bytes(in) / in.n;
  return combined(in.n - 1, chunk) + gather_tree_term(in.n, in.root, chunk);
}
inline Form scatter_and_ring_form(const In& in) {
  if (!equal_on_power(in)) return std::nullopt;
  const std::int64_t chunk = input_bytes(in) / in.n;
  return CostTerm{floor_log2(in.n), (in.n - 1) * chunk, 0} + sent(in.n - 1, chunk);
}

// Each rank reduces once all have sent everything; or reduces its chunk, as in a flat reduce, and sends that to all.
inline Form one_shot_form(const In& in) { return combined(in.n - 1, input_bytes(in)); }
inline Form two_shot_form(const In& in) {
  if (!chunk_bytes(in).equal()) return std::nullopt;
  const std::int64_t chunk = input_bytes(in) / in.n;
  return reduce_flat_cost(in.n, chunk) + Cost(sent(in.n - 1, chunk));
}

// A broadcast down the tree begins when the root of the reduction has everything.
inline Form tree_twice_form(const In& in) {
  if (!is_power_of_two(in.n)) return std::nullopt;
  return combined(floor_log2(in.n), input_bytes(in)) + tree_down_term(in.n, input_bytes(in));
}
// Surplus ranks hand over first and get the result in the end. If more than half of the participants carry another
// rank's data, some pair of them delays every round; if fewer do, only the recurrence gives the time.
inline Form exchange_cost(int n, std::int64_t bytes) {
  const int participants = 1 << floor_log2(n), surplus = n - participants;
  if (surplus > 0 && 2 * surplus <= participants) return std::nullopt;
  const int fold = surplus > 0 ? 1 : 0;
  return combined(floor_log2(n) + fold, bytes) + sent(fold, bytes);
}
inline Form exchange_form(const In& in) { return exchange_cost(in.n, input_bytes(in)); }
inline Form multiplying_form(const In& in) {
  std::int64_t messages = 0;
  const auto factors = exchange_factors(in.n, radix_or_default(in.radix));
  if (product_of(factors) < in.n) return std::nullopt;
  for (const int factor : factors) messages += factor - 1;
  return combined(messages, input_bytes(in));
}
inline Form hierarchy_form(const In& in) {
  const int g = group_size(in.n, in.group_size);
  if (!is_power_of_two(g) || in.n % g != 0) return std::nullopt;
  const std::int64_t bytes = input_bytes(in);
  const Form leaders = exchange_cost(in.n / g, bytes);
  if (!leaders) return std::nullopt;
  return *leaders + Cost(combined(floor_log2(g), bytes) + tree_down_term(g, bytes));
}
inline int ring_segments(const In& in) {
  return cost_segments(in, Partition(in.shape.count(), in.n).longest(), kRingSegmentBytes).parts();
}
// K equal segments per chunk: the link is always busy, or the reductions are.
inline Form pipelined_form(const In& in) {
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
inline int bucket_count(const In& in) {
  return bucket_partition(in.shape.count(), in.dtype, in.segment_bytes).parts();
}
inline Form bucketed_form(const In& in) {
  if (in.n == 1) return CostTerm{};
  return bucket_count(in) == 1 ? ring_twice_form(in) : std::nullopt;
}

inline int tree_segments(const In& in) {
  return double_tree_segments(in.shape.count(), in.dtype, in.segment_bytes).parts();
}
// Each step of the trees' timetable takes as long as one segment.
inline Form down_both_trees_form(const In& in) {
  const Partition part = double_tree_segments(in.shape.count(), in.dtype, in.segment_bytes);
  if (in.n == 1) return CostTerm{};
  if (part.count() % part.parts() != 0) return std::nullopt;
  const DoubleTree trees(in.n, in.root);
  return sent(double_tree_rounds(trees, part.parts(), {TreeDirection::down}),
              part.longest() * element_bytes(in));
}
inline Form along_both_trees_form(const In& in) {
  if (in.n > 1) return std::nullopt;
  return CostTerm{};
}

// Every step has messages of the same length on all ranks.
inline int pat_blocks(const In& in, std::int64_t block) {
  return pat_aggregation(in.n, static_cast<std::uint64_t>(block),
                         or_default(in.segment_bytes, kPatMessageBytes));
}
inline int allgather_pat_blocks(const In& in) { return pat_blocks(in, input_bytes(in)); }
inline int reduce_pat_blocks(const In& in) { return pat_blocks(in, chunk_bytes(in).longest()); }
inline Form allgather_pat_form(const In& in) {
  return CostTerm{pat_rounds(in.n, allgather_pat_blocks(in)), (in.n - 1) * input_bytes(in), 0};
}
inline Form reduce_pat_form(const In& in) {
  if (!chunk_bytes(in).equal()) return std::nullopt;
  const std::int64_t bytes = input_bytes(in) / in.n * (in.n - 1);
  return CostTerm{pat_rounds(in.n, reduce_pat_blocks(in)), bytes, bytes};
}

inline Form two_level_form(const In& in) {
  const WholeGroups groups(in.n, in.group_size);
  if (groups.has_surplus() || !chunk_bytes(in).equal()) return std::nullopt;
  const std::int64_t g = groups.size(), all = groups.groups(), chunk = input_bytes(in) / g;
  return combined(g - 1, chunk) + combined(all - 1, chunk / all) + sent(all - 1, chunk / all) +
         sent(g - 1, chunk);
}
inline Form two_exchanges_form(const In& in) {
  if (!block_bytes(in).equal()) return std::nullopt;
  const std::int64_t g = equal_group_size(in.n, in.group_size), groups = in.n / g;
  const std::int64_t block = block_bytes(in).longest();
  return sent(g - 1, groups * block) + sent(groups - 1, g * block);
}

// Row i of the table of messages comes after row i - 1, column j after column j - 1. A longest path goes down the
// first column, whose blocks are longest, and then along the last row.
inline Form linear_form(const In& in) {
  if (in.n == 1) return CostTerm{};
  const ByteParts blocks = block_bytes(in);
  return CostTerm{2 * in.n - 3, (in.n - 1) * blocks[0] + blocks.span(1, in.n - 1), 0};
}
inline Form pairwise_form(const In& in) {
  if (!block_bytes(in).equal()) return std::nullopt;
  return sent(in.n - 1, block_bytes(in).longest());
}
inline Form bruck_blocks_form(const In& in) {
  if (!block_bytes(in).equal()) return std::nullopt;
  std::int64_t blocks = 0;  // one-bits in 0 .. N - 1
  for (unsigned j = 0; j < static_cast<unsigned>(in.n); ++j) blocks += std::popcount(j);
  return CostTerm{ceil_log2(in.n), blocks * block_bytes(in).longest(), 0};
}

}  // namespace rankscope::cost_forms

namespace rankscope {
namespace {

using namespace cost_forms;  // NOLINT: the forms are entries of the table

constexpr FormulaHolds kAlways{}, kEqual{.equal_parts = true}, kPower{.power_of_two = true},
    kRadixPower{.power_of_radix = true}, kEqualPower{.equal_parts = true, .power_of_two = true},
    kSegmentsOfTree{.equal_parts = true, .power_of_two = true, .segmented = true},
    kSegmentsOfTrees{
        .equal_parts = true, .power_of_two = true, .segmented = true, .free_reductions = true},
    kSegmentsOfRing{.equal_parts = true, .segmented = true},
    kBuckets{.equal_parts = true, .segmented = true, .fast_reductions = true};

constexpr std::string_view kFlatTwice = "(N−1)(α + nβ) + max((N−1)(α + nβ) + nγ, α + nβ + (N−1)nγ)";
constexpr std::string_view kFlatReduce = "max((N−1)(α + nβ) + nγ, α + nβ + (N−1)nγ)",
                           kRing = "2(N−1)α + 2·(N−1)/N·nβ + (N−1)/N·nγ",
                           kBothTrees = "2·log2(N)·(α + nβ) + log2(N)·nγ",
                           kHalf = "(N−1)α + (N−1)/N·n(β + γ)", kToAll = "(N−1)(α + nβ)",
                           kAllBlocks = "log2(N)·α + (N−1)nβ";

const CostRow kRows[] = {
    {"p2p.ping", "2(α + nβ)", kAlways, ping},
    {"p2p.sendrecv", "α + nβ", kAlways, shift},
    {"barrier.dissemination", "⌈log2(N)⌉α", kAlways, dissemination},
    {"barrier.flat", "2(N−1)α", kAlways, flat_barrier},
    {"broadcast.flat", kToAll, kAlways, to_each},
    {"broadcast.binomial", "⌈log2(N)⌉(α + nβ)", kAlways, tree_down_form},
    {"broadcast.knomial", "(k−1)·log2(N)/log2(k)·(α + nβ)", kRadixPower, knomial_down_form},
    {"broadcast.scatter_allgather", "(log2(N) + N − 1)α + 2·(N−1)/N·nβ", kEqualPower,
     scatter_and_ring_form},
    {"broadcast.chain", "(K + N − 2)(α + n/K·β)", kEqual, chain_form, chain_segments},
    {"broadcast.double_tree", "(K + 2·log2(N) − 2)(α + n/K·β)", kSegmentsOfTree,
     down_both_trees_form, tree_segments},
    {"reduce.flat", kFlatReduce, kAlways, reduce_flat_form},
    {"reduce.binomial", "log2(N)·(α + nβ + nγ)", kPower, reduce_tree_form},
    {"reduce.knomial", "log2(N)/log2(k)·max((k−1)(α + nβ) + nγ, α + nβ + (k−1)nγ)", kRadixPower,
     reduce_knomial_form},
    {"reduce.scatter_gather", "(log2(N) + N − 1)α + 2·(N−1)/N·nβ + (N−1)/N·nγ", kEqualPower,
     ring_and_gather_form},
    {"gather.flat", kToAll, kAlways, to_each},
    {"gather.binomial", kAllBlocks, kPower, gather_tree_form},
    {"scatter.flat", "(N−1)(α + n/N·β)", kEqual, scatter_flat_form},
    {"scatter.binomial", "log2(N)·α + (N−1)/N·nβ", kEqualPower, scatter_tree_form},
    {"allgather.flat", "2(N−1)α + (N−1)(N+1)nβ", kAlways, gather_and_broadcast},
    {"allgather.ring", kToAll, kAlways, to_each},
    {"allgather.doubling", kAllBlocks, kPower, doubling_form},
    {"allgather.bruck", "⌈log2(N)⌉α + (N−1)nβ", kAlways, bruck_form},
    {"allgather.pat", "(log2(A) + N/A − 1)α + (N−1)nβ", kPower, allgather_pat_form, nullptr,
     allgather_pat_blocks},
    {"reduce_scatter.direct", kHalf, kEqual, direct_form},
    {"reduce_scatter.ring", kHalf, kEqual, ring_reduce_form},
    {"reduce_scatter.halving", "log2(N)·α + (N−1)/N·n(β + γ)", kEqualPower, halving_form},
    {"reduce_scatter.pat", "(log2(A) + N/A − 1)α + (N−1)/N·n(β + γ)", kEqualPower, reduce_pat_form,
     nullptr, reduce_pat_blocks},
    {"allreduce.flat", kFlatTwice, kAlways, allreduce_flat_form},
    {"allreduce.one_shot", "(N−1)(α + nβ + nγ)", kAlways, one_shot_form},
    {"allreduce.two_shot",
     "(N−1)(α + n/N·β) + max((N−1)(α + n/N·β) + n/N·γ, α + n/N·β + (N−1)/N·nγ)", kEqual,
     two_shot_form},
    {"allreduce.mst", kBothTrees, kPower, tree_twice_form},
    {"allreduce.tree", kBothTrees, kPower, tree_twice_form},
    {"allreduce.bde", "log2(N)·(α + nβ + nγ)", kPower, exchange_form},
    {"allreduce.recursive_multiplying", "(k−1)·log2(N)/log2(k)·(α + nβ + nγ)", kRadixPower,
     multiplying_form},
    {"allreduce.ring", kRing, kEqual, ring_twice_form},
    {"allreduce.rabenseifner", "2·log2(N)·α + 2·(N−1)/N·nβ + (N−1)/N·nγ", kEqualPower,
     rabenseifner_form},
    {"allreduce.swing", "2·log2(N)·α + 2·(N−1)/N·nβ + (N−1)/N·nγ", kEqualPower, rabenseifner_form},
    {"allreduce.reduce_broadcast", kBothTrees, kPower, tree_twice_form},
    {"allreduce.reduce_scatter_allgather", kRing, kEqual, ring_twice_form},
    {"allreduce.hierarchical", "(log2(N) + log2(g))(α + nβ) + log2(N)·nγ", kPower, hierarchy_form,
     nullptr, nullptr, plans::allreduce_hierarchical},
    {"allreduce.two_level_ring", "(g−1)(2α + 2n/g·β + n/g·γ) + (N/g−1)(2α + 2n/N·β + n/N·γ)",
     kEqualPower, two_level_form, nullptr, nullptr, plans::allreduce_two_level_ring},
    {"allreduce.ring_pipelined",
     "max(2(N−1)(Kα + n/N·β), ((N−2)K + 2)(α + n/(N·K)·β) + (N−1)/N·nγ)", kSegmentsOfRing,
     pipelined_form, ring_segments},
    {"allreduce.double_tree", "(2K + 4·log2(N) − 4)(α + n/K·β)", kSegmentsOfTrees,
     along_both_trees_form, tree_segments},
    {"allreduce.in_network", kFlatTwice, kAlways, allreduce_flat_form, switch_segments},
    {"allreduce.bucketed", "2(N−1)K·α + 2·(N−1)/N·nβ", kBuckets, bucketed_form, bucket_count},
    {"alltoall.linear", "(2N−3)(α + n/N·β)", kEqual, linear_form},
    {"alltoall.pairwise", "(N−1)(α + n/N·β)", kEqual, pairwise_form},
    {"alltoall.bruck", "log2(N)·(α + n/2·β)", kEqualPower, bruck_blocks_form},
    {"alltoall.hierarchical", "(g−1)(α + n/g·β) + (N/g−1)(α + g/N·nβ)", kEqualPower,
     two_exchanges_form, nullptr, nullptr, plans::alltoall_hierarchical},
};

/// Records what each rank does, without data.
VerbSchedule recorded(const Algorithm& algorithm, const ClosedFormInput& in) {
  return VerbSchedule(in.n, [&](Communicator& comm) {
    const Extents extents = extents_of(algorithm.collective, in.shape, in.n, comm.rank(), in.root,
                                       in.scatter_dim, in.scatter_dim);
    run_algorithm(comm, algorithm,
                  {.in = Buffer::ghost(in.dtype, extents.in),
                   .out = Buffer::ghost(in.dtype, extents.out),
                   .root = in.root,
                   .scatter_dim = in.scatter_dim,
                   .gather_dim = in.scatter_dim,
                   .segment_bytes = in.segment_bytes,
                   .group_size = in.group_size,
                   .radix = in.radix});
  });
}

}  // namespace

std::string to_text(const FormulaHolds& holds) {
  std::vector<std::string> all;
  if (holds.equal_parts) all.push_back("equal parts");
  if (holds.power_of_two) all.push_back("powers of two");
  if (holds.power_of_radix) all.push_back("powers of k");
  if (holds.segmented) all.push_back("K ≥ 2");
  if (holds.free_reductions) all.push_back("reducing takes no time");
  if (holds.fast_reductions) all.push_back("reducing a part takes no longer than sending it");
  return fmt::format("{}", fmt::join(all, ", "));
}

const CostRow* find_cost_row(const Algorithm& algorithm) noexcept {
  const auto* row = ranges::find(kRows, algorithm.name, &CostRow::algorithm);
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
    throw UserError(
        fmt::format("{} on {} ranks has up to {} messages here, more than are followed one by one "
                    "({}): choose a "
                    "size whose elements {} divides, longer segments (--segment), or fewer ranks",
                    algorithm.name, in.n, most, kMostPlanned, in.n));
  return critical_path(row->plan != nullptr ? row->plan(in) : recorded(algorithm, in), link);
}

}  // namespace rankscope
